import { isDeepStrictEqual } from 'node:util';
import type { Live } from '#features/documents';
import { hasCode, systemScope } from '#platform/kernel';
import { KNOWN_SPACES } from '#ports/models';
import { type DocumentVectors, storedUnits } from './document-vectors.ts';
import { keepVectors } from './embed-units.ts';

/**
 * Removes what was stored for an earlier version of a document after the stages of a later one had removed its vectors. Those
 * of the present version stay, also in spaces of other models, which may serve again.
 * @param options.spaces the serving and the coming ones
 */
export async function removeOutdatedVectors(
  options: DocumentVectors & { readonly spaces: Iterable<string> },
  organization: string,
  id: string,
): Promise<void> {
  const { documents, vectors, spaces } = options;
  const scope = systemScope(organization);
  const document = await documents.load(scope, id);
  // While units are not formed, the stage that embeds them is to come, and removes all other vectors.
  if (document.status !== 'live' || document.memories === null) return;
  const units = await storedUnits(options, document);
  if (units === null) return;
  const isPresent = async () => {
    const now = await documents.load(scope, id);
    return now.status === 'live' && hasUnitsOf(now, document);
  };
  try {
    await keepVectors(vectors, document, units, [...KNOWN_SPACES, ...spaces], { isPresent });
  } catch (error) {
    // The stages that follow the change remove them, or a later sweep.
    if (!hasCode(error, 'document_outdated')) throw error;
  }
}

/** Whether the units are the same: a document that is processed again gets other ones, and keeps its version. */
export const hasUnitsOf = (now: Live, loaded: Live): boolean =>
  now.contentVersion === loaded.contentVersion &&
  now.memories !== null &&
  isDeepStrictEqual([now.chunks, now.memories], [loaded.chunks, loaded.memories]);

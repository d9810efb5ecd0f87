import { hasCode, systemScope } from '#kernel';
import { type DocumentVectors, storedUnits } from './document-vectors.ts';
import { keepVectors } from './embed-units.ts';

/**
 * Removes what was stored for an earlier version of a document after the stages of a later one had removed its vectors. Those
 * of the present version stay.
 * @param options.spaces whose vectors stay
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
    return now.status === 'live' && now.contentVersion === document.contentVersion;
  };
  try {
    await keepVectors(vectors, document, units, spaces, isPresent);
  } catch (error) {
    // The stages of the version that has come since remove them.
    if (!hasCode(error, 'document_outdated')) throw error;
  }
}

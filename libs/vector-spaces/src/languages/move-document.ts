import { decideEmbedded, isInWork } from '#documents';
import { systemCause } from '#event-store';
import { hasCode, systemScope } from '#kernel';
import { isOtherLanguage } from '#vector-spaces/model';
import type { DocumentName } from '../change/each-document.ts';
import { type DocumentVectors, storedUnits } from '../document-vectors.ts';
import { isInOtherLanguage } from '../embed-document.ts';
import { embedUnits, type PassageSpace } from '../embed-units.ts';

/**
 * Embeds a document in another language than English in a space of these languages, and records that its vectors are there. A
 * document that is being processed is left to its stages.
 * @returns how many vectors had to be made; null: the document stays where it is
 * @throws errors of the embedder, the cache and the log
 */
export async function moveDocument(
  sources: DocumentVectors,
  space: PassageSpace,
  { organization, id }: DocumentName,
): Promise<number | null> {
  const { documents, vectors } = sources;
  const scope = systemScope(organization);
  const document = await documents.load(scope, id);
  if (document.status !== 'live' || document.memories === null || isInWork(document)) return null;
  // Without any vectors, its stages are to embed it.
  if (document.vectorSpace === null || document.vectorSpace === space.name) return null;
  if (!isOtherLanguage(document.language)) return null;
  const units = await storedUnits(sources, document);
  if (units === null || !isInOtherLanguage(document, units)) return null;
  const isPresent = async () => {
    const now = await documents.load(scope, id);
    return now.status === 'live' && now.contentVersion === document.contentVersion;
  };
  let made: number;
  try {
    made = await embedUnits(vectors, document, units, space, isPresent);
  } catch (error) {
    if (hasCode(error, 'document_outdated')) return null;
    throw error;
  }
  await documents.change(scope, id, systemCause(), (state) =>
    decideEmbedded(state, document.contentVersion, space.name, { renewed: true, sizes: { units: units.length } }),
  );
  return made;
}

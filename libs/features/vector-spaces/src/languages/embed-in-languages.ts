import {
  type DocumentEvent,
  type DocumentState,
  decideEmbedded,
  decideSecondSpace,
  isInWork,
  type Live,
} from '#features/documents';
import { isOtherLanguage, LANGUAGE_SPACES } from '#features/vector-spaces/model';
import { hasCode, type Result, systemScope } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import type { Unit } from '#read-side/views';
import type { DocumentName } from '../change/each-document.ts';
import { type DocumentVectors, storedUnits } from '../document-vectors.ts';
import { isInOtherLanguage } from '../embed-document.ts';
import { embedUnits, type PassageSpace } from '../embed-units.ts';

/** A longer document has no second vectors: with them its rows could become too large for the views. */
const MOST_UNITS = 20_000;

/**
 * Embeds a document in a space of other languages: one in such a language instead of its space, one in English beside it. Records
 * that its vectors are there. A document that is being processed is left to its stages.
 * @param wantsSecond whether a document in English is to have vectors in this space
 * @returns how many vectors had to be made; null: the document stays as it is
 * @throws errors of the embedder, the cache and the log
 */
export async function embedInLanguages(
  sources: DocumentVectors,
  space: PassageSpace,
  { organization, id }: DocumentName,
  wantsSecond: (document: Live) => boolean | Promise<boolean>,
): Promise<number | null> {
  const { documents, vectors } = sources;
  const scope = systemScope(organization);
  const document = await documents.load(scope, id);
  if (document.status !== 'live' || document.memories === null || isInWork(document)) return null;
  const { contentVersion, vectorSpace, secondSpace, language } = document;
  // Without any vectors, its stages are to embed it.
  if (vectorSpace === null || vectorSpace === space.name || secondSpace === space.name) return null;
  if (!isOtherLanguage(language) && !(await wantsSecond(document))) return null;
  const units = await storedUnits(sources, document);
  if (units === null) return null;
  const moves = isInOtherLanguage(document, units);
  if (!moves && !(await mayHaveSecond(document, units, wantsSecond))) return null;
  const isPresent = async () => {
    const now = await documents.load(scope, id);
    return now.status === 'live' && now.contentVersion === contentVersion;
  };
  let made: number;
  try {
    made = await embedUnits(vectors, document, units, space, isPresent);
  } catch (error) {
    if (hasCode(error, 'document_outdated')) return null;
    throw error;
  }
  const embedded = { renewed: true, sizes: { units: units.length } };
  await documents.change(
    scope,
    id,
    systemCause(),
    (state: DocumentState): Result<readonly DocumentEvent[], 'outdated'> =>
      moves
        ? decideEmbedded(state, contentVersion, space.name, embedded)
        : decideSecondSpace(state, contentVersion, space.name, false),
  );
  return made;
}

const mayHaveSecond = async (
  document: Live,
  units: readonly Unit[],
  wantsSecond: (document: Live) => boolean | Promise<boolean>,
): Promise<boolean> =>
  units.length <= MOST_UNITS &&
  !LANGUAGE_SPACES.includes(document.vectorSpace as string) &&
  (await wantsSecond(document));

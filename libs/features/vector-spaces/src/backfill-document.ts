import { documentStream, formerVectorsOf, isInWork, type Live } from '#features/documents';
import { ownSpace } from '#features/vector-spaces/model';
import { hasCode, systemScope } from '#platform/kernel';
import type { Unit } from '#read-side/views';
import { type DocumentVectors, storedUnits } from './document-vectors.ts';
import { embedUnits, keepVectors, type PassageSpace } from './embed-units.ts';
import { hasUnitsOf } from './outdated-vectors.ts';

export interface BackfillOptions extends DocumentVectors {
  /** The space that is being built. */
  readonly space: PassageSpace;
  /** Spaces whose vectors stay if others are removed, this one included. */
  readonly kept: readonly string[];
}

/**
 * Adds the vectors of a space that is being built to a document that has those of the serving one. Only the cache changes.
 * A document that has no vectors yet, or is being processed, is left to its stages, which embed it in both. One that keeps a
 * space of its own gets none.
 * @returns how many vectors had to be made
 */
export async function backfillDocument(options: BackfillOptions, organization: string, id: string): Promise<number> {
  const { documents, vectors, kept } = options;
  let made = 0;
  for (let before: Live | null = null; ; ) {
    const document = await documents.load(systemScope(organization), id);
    if (document.status === 'deleted' && before !== null) await vectors.release(documentStream(organization, id));
    if (document.status !== 'live' || document.memories === null) return made;
    if (before?.contentVersion === document.contentVersion) return made;
    if (before === null && (document.vectorSpace === null || ownSpace(document) !== null)) return made;
    const units = await storedUnits(options, document);
    if (units !== null) {
      made += await embedPresent(options, document, units);
      // Vectors of the earlier version may have been stored after its stages had removed them.
      if (before !== null) await keepVectors(vectors, document, units, kept);
    }
    before = document;
  }
}

/**
 * Removes the vectors of a document in all spaces but the kept ones.
 * @param options.keepsTokens false: the tokens of its units go too. Default: true.
 * @returns false: it is being processed and keeps its vectors
 */
export async function releaseOtherSpaces(
  options: BackfillOptions & { readonly keepsTokens?: boolean },
  organization: string,
  id: string,
): Promise<boolean> {
  const { documents, vectors, keepsTokens = true } = options;
  const scope = systemScope(organization);
  const document = await documents.load(scope, id);
  if (document.status !== 'live') return true;
  // A page that is fetched again has the vectors of its former text, which may turn out to be the present one. If the fetch
  // has failed, nothing is to come.
  if (document.formerPage !== null && isInWork(document)) return false;
  if (document.memories === null) return true;
  if (isInWork(document)) return false;
  const units = await storedUnits(options, document);
  if (units === null) return true;
  const kept = [...options.kept, ...[ownSpace(document), document.secondSpace].filter((space) => space !== null)];
  const load = async () => {
    const now = await documents.load(scope, id);
    return now.status === 'live' ? now : null;
  };
  const isPresent = async () => {
    const now = await load();
    return now !== null && hasUnitsOf(now, document);
  };
  try {
    await keepVectors(vectors, document, units, kept, { isPresent, keepsTokens });
    // Units that have left it have vectors in the spaces of then only.
    if (document.discarded > 0 && keepsTokens) {
      await vectors.release(formerVectorsOf(documentStream(organization, id)));
    }
  } catch (error) {
    if (hasCode(error, 'document_outdated')) return (await load()) === null;
    throw error;
  }
  const now = await load();
  if (now === null || hasUnitsOf(now, document)) return true;
  // Vectors that the stages have stored for other units since may have been removed too.
  const renewed = await storedUnits(options, now);
  if (renewed !== null) await embedPresent(options, now, renewed);
  return true;
}

/** @returns how many vectors had to be made; 0 if the document changed or was deleted meanwhile */
async function embedPresent(
  { documents, vectors, space }: BackfillOptions,
  document: Live,
  units: readonly Unit[],
): Promise<number> {
  const isPresent = async () => {
    const now = await documents.load(systemScope(document.organization), document.id);
    return now.status === 'live' && now.contentVersion === document.contentVersion;
  };
  try {
    return await embedUnits(vectors, document, units, space, isPresent);
  } catch (error) {
    if (hasCode(error, 'document_outdated')) return 0;
    throw error;
  }
}

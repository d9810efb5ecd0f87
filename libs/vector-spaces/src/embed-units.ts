import { documentStream, type Live } from '#documents';
import { hasCode, MnemeError } from '#kernel';
import type { Embedder } from '#models';
import { quantize } from '#search';
import type { VectorCache } from '#vector-cache';
import { embeddedTextsInTurns } from '#vector-spaces/model';
import type { Unit } from '#views';

/** Texts embedded and stored before the next are begun, so that a crash costs little and short documents get in between. */
const TEXTS_AT_ONCE = 64;

/** A vector space, and a model that embeds in it. */
export interface PassageSpace {
  readonly name: string;
  readonly embedder: Pick<Embedder, 'embedPassages'>;
}

/** The version of a document whose units are embedded is no longer the present one, or the document was deleted. */
class DocumentOutdatedError extends MnemeError {
  override readonly name = 'DocumentOutdatedError';
  override readonly kind = undefined;
  override readonly code = 'document_outdated';
}

const outdated = (owner: string): Error => new DocumentOutdatedError(`${owner} has changed or is deleted`);

/**
 * Puts the missing vectors of a document into the cache.
 * @param units all of the document
 * @param isPresent asked before each batch but the first; not present: no further batch is embedded
 * @returns how many had to be made
 * @throws DocumentOutdatedError, errors of the embedder and the cache
 */
export async function embedUnits(
  vectors: VectorCache,
  document: Live,
  units: readonly Unit[],
  { name, embedder }: PassageSpace,
  isPresent: () => Promise<boolean>,
): Promise<number> {
  const owner = documentStream(document.organization, document.id);
  const { texts } = await embeddedTextsInTurns(name, document, units);
  const missing = await vectors.claim(owner, [...texts.keys()]);
  for (let from = 0; from < missing.length; from += TEXTS_AT_ONCE) {
    if (from > 0 && !(await isPresent())) throw outdated(owner);
    const keys = missing.slice(from, from + TEXTS_AT_ONCE);
    const made = await embedder.embedPassages(keys.map((key) => texts.get(key) as string));
    const entries = keys.map((key, i) => ({ key, vector: quantize(made[i] as Float32Array) }));
    await vectors.put(owner, entries);
  }
  return missing.length;
}

/**
 * Removes the vectors of a document that are not of these units in these spaces.
 * @param isPresent asked right before: those of a later version, which may be stored already, are not removed
 * @throws DocumentOutdatedError
 */
export async function keepVectors(
  vectors: VectorCache,
  document: Live,
  units: readonly Unit[],
  spaces: Iterable<string>,
  isPresent: () => Promise<boolean> = async () => true,
): Promise<void> {
  const owner = documentStream(document.organization, document.id);
  const kept: string[] = [];
  for (const space of new Set(spaces)) {
    const { texts } = await embeddedTextsInTurns(space, document, units);
    for (const key of texts.keys()) kept.push(key);
  }
  if (!(await isPresent())) throw outdated(owner);
  await vectors.release(owner, kept);
}

/** The model became unavailable, or its process ended. */
export const isModelGone = (error: unknown): boolean => hasCode(error, 'embedding_interrupted', 'model_unavailable');

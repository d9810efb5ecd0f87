import { documentStream, type Live } from '#documents';
import { hasCode, MnemeError } from '#kernel';
import type { Embedder } from '#models';
import { quantize } from '#search';
import type { QuantizedVector, VectorCache } from '#vector-cache';
import { type EmbeddedPassage, embeddedTextsInTurns } from '#vector-spaces/model';
import type { Unit } from '#views';

/** Vectors made and stored before the next are begun, so that a crash costs little and short documents get in between. */
const VECTORS_AT_ONCE = 64;

/** A vector space, and a model that embeds in it. */
export interface PassageSpace {
  readonly name: string;
  readonly embedder: Pick<Embedder, 'embedPassages' | 'embedWindows'>;
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
  const { passages } = await embeddedTextsInTurns(name, document, units);
  const missing = await vectors.claim(owner, [...passages.keys()]);
  let made = 0;
  for (const batch of batchesOf(missing, passages)) {
    if (made > 0 && !(await isPresent())) throw outdated(owner);
    await vectors.put(owner, await embedded(batch, embedder));
    made += batch.length;
  }
  return missing.length;
}

type Window = Extract<EmbeddedPassage, { readonly kind: 'window' }>;

/** A vector to make: its key, and what is embedded for it. */
interface Wanted {
  readonly key: string;
  readonly passage: EmbeddedPassage;
}

/** Divides the missing vectors. Those of a window stay together. */
function* batchesOf(
  missing: readonly string[],
  passages: ReadonlyMap<string, EmbeddedPassage>,
): Generator<readonly Wanted[]> {
  let batch: Wanted[] = [];
  for (const key of missing) {
    const passage = passages.get(key) as EmbeddedPassage;
    if (batch.length >= VECTORS_AT_ONCE && passage !== batch.at(-1)?.passage) {
      yield batch;
      batch = [];
    }
    batch.push({ key, passage });
  }
  if (batch.length > 0) yield batch;
}

/** Each window is embedded once for all its vectors. */
async function embedded(
  batch: readonly Wanted[],
  embedder: PassageSpace['embedder'],
): Promise<{ readonly key: string; readonly vector: QuantizedVector }[]> {
  const texts = new Map<string, string>();
  const windows = new Set<Window>();
  for (const { key, passage } of batch) {
    if (passage.kind === 'text') texts.set(key, passage.text);
    else windows.add(passage);
  }
  const [alone, together] = await Promise.all([
    texts.size === 0 ? [] : embedder.embedPassages([...texts.values()]),
    windows.size === 0 ? [] : embedder.embedWindows([...windows].map((window) => window.texts)),
  ]);
  const made = new Map([...texts.keys()].map((key, i) => [key, alone[i]]));
  for (const [i, { keys }] of [...windows].entries()) {
    for (const [place, key] of keys.entries()) made.set(key, together[i]?.[place]);
  }
  return batch.map(({ key }) => ({ key, vector: quantize(made.get(key) as Float32Array) }));
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
    const { passages } = await embeddedTextsInTurns(space, document, units);
    for (const key of passages.keys()) kept.push(key);
  }
  if (!(await isPresent())) throw outdated(owner);
  await vectors.release(owner, kept);
}

/** The model became unavailable, or its process ended. */
export const isModelGone = (error: unknown): boolean => hasCode(error, 'embedding_interrupted', 'model_unavailable');

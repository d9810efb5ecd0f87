import { documentStream, formerVectorsOf, type Live } from '#features/documents';
import { dateOfVersion, supersededVersions } from '#features/memories';
import { quantize } from '#features/search';
import {
  type EmbeddedPassage,
  type EmbeddedTexts,
  embeddedTexts,
  embeddedTextsInTurns,
} from '#features/vector-spaces/model';
import { hasCode, mnemeError } from '#platform/kernel';
import type { EmbeddedText, Embedder } from '#ports/models';
import { encodeTokens, type QuantizedVector, type VectorStore } from '#ports/vector-store';
import { estimateTokens } from '#processing/extraction';
import type { Unit } from '#read-side/views';
import { TokenKeys, type Window } from './embedded-tokens.ts';

/** Vectors made and stored before the next are begun, so that a crash costs little and short documents get in between. */
const VECTORS_AT_ONCE = 64;

/** A vector space, and a model that embeds in it. */
export interface PassageSpace {
  readonly name: string;
  readonly embedder: Pick<Embedder, 'embedPassages' | 'embedWindows' | 'storedTokens'>;
}

/** The version of a document whose units are embedded is no longer the present one, or the document was deleted. */
class DocumentOutdatedError extends mnemeError(undefined, 'document_outdated') {}

const outdated = (owner: string): Error => new DocumentOutdatedError(`${owner} has changed or is deleted`);

/**
 * Puts the missing vectors of a document into the cache, and the tokens of its units if they are stored in this space.
 * @param units all of the document
 * @param isPresent asked before each batch but the first; not present: no further batch is embedded
 * @param embedded called with the tokens of the passages of each batch
 * @returns how many vectors had to be made
 * @throws DocumentOutdatedError, errors of the embedder and the cache
 */
export async function embedUnits(
  vectors: VectorStore,
  document: Live,
  units: readonly Unit[],
  { name, embedder }: PassageSpace,
  isPresent: () => Promise<boolean>,
  embedded?: (tokens: number) => void,
): Promise<number> {
  const owner = documentStream(document.organization, document.id);
  const texts = await embeddedTextsInTurns(name, document, units);
  const tokens = embedder.storedTokens === undefined ? null : new TokenKeys(name, document.organization);
  const wanted = wantedKeys(texts, tokens);
  const chunks = tokens?.ofChunks(texts) ?? [];
  const missing = await vectors.claim(owner, [...wanted.keys(), ...chunks.map(({ key }) => key)]);
  let made = 0;
  for (const batch of batchesOf(missing, wanted)) {
    if (made > 0 && !(await isPresent())) throw outdated(owner);
    await vectors.put(owner, await vectorsOf(batch, embedder, tokens));
    embedded?.(tokensIn(batch));
    made += batch.length;
  }
  // A chunk of the same text may have other memories than before.
  if (missing.length > 0) await vectors.put(owner, chunks);
  return missing.filter((key) => texts.passages.has(key)).length;
}

/** Everything that has to be stored, with what is embedded for it. What comes of one window is adjacent. */
function wantedKeys({ passages }: EmbeddedTexts, tokens: TokenKeys | null): ReadonlyMap<string, EmbeddedPassage> {
  if (tokens === null) return passages;
  const wanted = new Map<string, EmbeddedPassage>();
  for (const [key, passage] of passages) {
    if (passage.kind === 'text') wanted.set(key, passage);
    // The window comes with the first of its keys.
    if (passage.kind === 'text' || wanted.has(key)) continue;
    for (const own of [...passage.keys, ...tokens.ofWindow(passage).flat()]) wanted.set(own, passage);
  }
  return wanted;
}

/** A vector or tokens to make: its key, and what is embedded for it. */
interface MissingEmbedding {
  readonly key: string;
  readonly passage: EmbeddedPassage;
}

/** Divides what is missing. What comes of one window stays together. */
function* batchesOf(
  missing: readonly string[],
  wanted: ReadonlyMap<string, EmbeddedPassage>,
): Generator<readonly MissingEmbedding[]> {
  let batch: MissingEmbedding[] = [];
  for (const key of missing) {
    const passage = wanted.get(key);
    if (passage === undefined) continue;
    if (batch.length >= VECTORS_AT_ONCE && passage !== batch.at(-1)?.passage) {
      yield batch;
      batch = [];
    }
    batch.push({ key, passage });
  }
  if (batch.length > 0) yield batch;
}

function tokensIn(batch: readonly MissingEmbedding[]): number {
  const texts = [...new Set(batch.map(({ passage }) => passage))].flatMap((passage) =>
    passage.kind === 'text' ? [passage.text] : passage.texts,
  );
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0);
}

/** Each window is embedded once for all its vectors, and for the tokens of all its units. */
async function vectorsOf(
  batch: readonly MissingEmbedding[],
  embedder: PassageSpace['embedder'],
  tokens: TokenKeys | null,
): Promise<{ readonly key: string; readonly vector: QuantizedVector }[]> {
  const texts = new Map<string, string>();
  const found = new Set<Window>();
  for (const { key, passage } of batch) {
    if (passage.kind === 'text') texts.set(key, passage.text);
    else found.add(passage);
  }
  const windows = [...found];
  const [alone, together] = await Promise.all([
    texts.size === 0 ? [] : embedder.embedPassages([...texts.values()]),
    embeddedWindows(windows, embedder),
  ]);
  const made = new Map([...texts.keys()].map((key, i) => [key, alone[i] as Float32Array]));
  for (const [i, { keys }] of windows.entries()) {
    const own = together[i] as readonly EmbeddedText[];
    for (const [place, key] of keys.entries()) made.set(key, (own[place] as EmbeddedText).vector);
  }
  const vectors = batch.flatMap(({ key }) => {
    const vector = made.get(key);
    return vector === undefined ? [] : [{ key, vector: quantize(vector) }];
  });
  if (tokens === null) return vectors;
  const rows = windows.flatMap((window, i) =>
    tokens.ofWindow(window).flatMap((keys, place) => {
      const vector = encodeTokens({ kind: 'rows', rows: together[i]?.[place]?.tokens ?? new Int8Array() });
      return keys.map((key) => ({ key, vector }));
    }),
  );
  return [...vectors, ...rows];
}

async function embeddedWindows(
  windows: readonly Window[],
  embedder: PassageSpace['embedder'],
): Promise<readonly (readonly EmbeddedText[])[]> {
  const texts = windows.map((window) => window.texts);
  if (texts.length === 0) return [];
  if (embedder.storedTokens !== undefined) return embedder.storedTokens.embedWindows(texts);
  return (await embedder.embedWindows(texts)).map((each) => each.map((vector) => ({ vector, tokens: null })));
}

/** Superseded versions of a memory, by which questions about a past time find it. */
const supersededUnits = ({ memory, organization }: Live) =>
  (memory === null ? [] : supersededVersions(memory))
    .filter(({ isInDocument }) => !isInDocument)
    .map(({ version }) => ({
      of: { organization, unitsDate: dateOfVersion(version) },
      unit: { id: version.id, kind: 'memory', ordinal: 0, text: version.text, speaker: null } as const,
    }));

/**
 * Removes the vectors of a document that are not of these units in these spaces, or of earlier versions of a memory. The tokens
 * of these units stay, unless they are not stored any more. Those of other content are left to the former units of the document,
 * by which questions about a past time find them.
 * @param options.isPresent asked right before: those of a later version, which may be stored already, are not removed
 * @throws DocumentOutdatedError
 */
export async function keepVectors(
  vectors: VectorStore,
  document: Live,
  units: readonly Unit[],
  spaces: Iterable<string>,
  {
    isPresent = async () => true,
    keepsTokens = true,
  }: { readonly isPresent?: () => Promise<boolean>; readonly keepsTokens?: boolean } = {},
): Promise<void> {
  const owner = documentStream(document.organization, document.id);
  const kept: string[] = [];
  const superseded = supersededUnits(document);
  for (const space of new Set(spaces)) {
    const texts = await embeddedTextsInTurns(space, document, units);
    for (const key of texts.passages.keys()) kept.push(key);
    if (keepsTokens) for (const key of new TokenKeys(space, document.organization).of(texts)) kept.push(key);
    for (const { of, unit } of superseded) kept.push(...embeddedTexts(space, of, [unit]).passages.keys());
  }
  if (!(await isPresent())) throw outdated(owner);
  await vectors.release(owner, kept, isNew(document) ? formerVectorsOf(owner) : undefined);
}

/** Whether the content has no vectors yet, so that those of the document are of other content. A memory keeps those that it needs. */
const isNew = ({ memory, vectorSpace }: Live): boolean => memory === null && vectorSpace === null;

/** The model became unavailable, or its process ended. */
export const isModelGone = (error: unknown): boolean => hasCode(error, 'embedding_interrupted', 'model_unavailable');

import {
  type DocumentRepository,
  type DocumentTexts,
  documentStream,
  embeddingTexts,
  type Live,
  unitsOf,
  vectorKey,
} from '#documents';
import { hasCode, systemScope } from '#kernel';
import type { Embedder } from '#models';
import { quantize } from '#search';
import type { VectorCache } from '#vector-cache';
import type { Unit } from '#views';

/** Units embedded and kept before the next are begun, so that a crash costs little and short documents get between. */
const UNITS_AT_ONCE = 32;

/** A vector space and who embeds in it. */
export interface Space {
  readonly name: string;
  readonly embedder: Pick<Embedder, 'embedPassages'>;
}

/**
 * The serving space, and one that is being built where its model is ready. None: the serving one's is not. Each with who
 * embeds in it and in no other, whatever serves later.
 */
export function readySpaces(embedder: Embedder): readonly Space[] {
  const [serving, coming] = [embedder.present ?? embedder, embedder.coming].map(spaceOf);
  return serving ? [serving, ...(coming ? [coming] : [])] : [];
}

function spaceOf(embedder: Embedder | null | undefined): Space | null {
  const status = embedder?.status();
  return embedder && status?.state === 'ready' ? { name: status.space.name, embedder } : null;
}

/** Every text of the units by the key of its vector. */
export function textsByKey(space: string, document: Live, units: readonly Unit[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { bare, wide } of embeddingTexts(units, document.documentDate)) {
    for (const text of [bare, wide]) texts.set(vectorKey(space, document.organization, text), text);
  }
  return texts;
}

/** Puts what is missing of a document's vectors into the cache. @returns how many had to be made */
export async function embedUnits(
  vectors: VectorCache,
  document: Live,
  units: readonly Unit[],
  { name, embedder }: Space,
): Promise<number> {
  const owner = documentStream(document.organization, document.id);
  const texts = textsByKey(name, document, units);
  const missing = await vectors.claim(owner, [...texts.keys()]);
  for (let from = 0; from < missing.length; from += UNITS_AT_ONCE * 2) {
    const keys = missing.slice(from, from + UNITS_AT_ONCE * 2);
    const made = await embedder.embedPassages(keys.map((key) => texts.get(key) as string));
    const entries = keys.map((key, i) => ({ key, vector: quantize(made[i] as Float32Array) }));
    await vectors.put(owner, entries);
  }
  return missing.length;
}

/** The model became unavailable, or its process ended. */
export const isModelGone = (error: unknown): boolean => hasCode(error, 'embedding_interrupted', 'model_unavailable');

/** Forgets the vectors of a document that are neither of these units nor of these spaces. */
export async function releaseOthers(
  vectors: VectorCache,
  document: Live,
  units: readonly Unit[],
  spaces: readonly string[],
): Promise<void> {
  const kept = spaces.flatMap((space) => [...textsByKey(space, document, units).keys()]);
  await vectors.release(documentStream(document.organization, document.id), kept);
}

export interface BesideOptions {
  readonly documents: DocumentRepository;
  readonly texts: DocumentTexts;
  readonly vectors: VectorCache;
  /** In which it is found. */
  readonly serving: string;
  /** In which it is embedded beside. */
  readonly space: Space;
}

/**
 * Embeds a document in a second space, in the cache alone. One that has no vectors yet, or is being processed, is left to
 * the stages, which embed it in both.
 * @returns how many vectors had to be made
 */
export async function embedBeside(options: BesideOptions, organization: string, id: string): Promise<number> {
  const { documents, texts, vectors, serving, space } = options;
  let made = 0;
  for (let before: Live | null = null; ; ) {
    const document = await documents.load(systemScope(organization), id);
    if (document.status === 'deleted' && before !== null) await vectors.release(documentStream(organization, id));
    if (document.status !== 'live' || document.memories === null) return made;
    if (before?.contentVersion === document.contentVersion) return made;
    if (before === null && document.vectorSpace === null) return made;
    const units = await present(unitsOf(document, texts));
    if (units !== null) {
      made += await embedUnits(vectors, document, units, space);
      // What was made of an earlier version may have come after its stages had forgotten all but the present one.
      if (before !== null) await releaseOthers(vectors, document, units, [serving, space.name]);
    }
    before = document;
  }
}

/** Forgets the vectors that a document has in other spaces than this one. */
export async function forgetOtherSpaces(
  { documents, texts, vectors, space }: Omit<BesideOptions, 'serving'>,
  organization: string,
  id: string,
): Promise<void> {
  const document = await documents.load(systemScope(organization), id);
  if (document.status !== 'live' || document.stage !== 'done') return;
  const units = await present(unitsOf(document, texts));
  if (units === null) return;
  await releaseOthers(vectors, document, units, [space.name]);
  const now = await documents.load(systemScope(organization), id);
  if (now.status !== 'live' || now.contentVersion === document.contentVersion) return;
  // What its stages made of a new version meanwhile may have been forgotten too.
  const renewed = await present(unitsOf(now, texts));
  if (renewed !== null) await embedUnits(vectors, now, renewed, space);
}

/** Null: a deletion has taken the texts. */
async function present<T>(units: Promise<T>): Promise<T | null> {
  try {
    return await units;
  } catch (error) {
    if (hasCode(error, 'blob_missing')) return null;
    throw error;
  }
}

import {
  type DocumentTexts,
  type Live,
  type Pieces,
  type Summary,
  type UnitSource,
  unitsAlong,
  unitsOf,
} from '#features/documents';
import { meanOf } from '#features/search';
import type { SpaceEmbedders } from '#features/vector-spaces';
import { embeddedTextsInTurns, findVectors, type UnitKeys } from '#features/vector-spaces/model';
import type { QuantizedVector, VectorStore } from '#ports/vector-store';
import type { Passages } from '#processing/extraction';
import {
  type Candidate,
  candidatesOf,
  composeSummary,
  consideredPlaces,
  fitsWhole,
  type SummaryPassage,
  scoresByVectors,
  scoresByWords,
} from '#processing/summaries';
import type { Unit } from '#read-side/views';

/** Passages of a document without vectors that are read at most; about a hundred pages. */
const MOST_READ = 3_000;

export interface SummariesOptions {
  readonly texts: DocumentTexts;
  readonly vectors: Pick<VectorStore, 'get'>;
  readonly embedders: Pick<SpaceEmbedders, 'ready' | 'names'>;
}

/** Forms summaries of the memories of documents, or of the chunks where there are no memories. */
export class Summaries {
  readonly #texts: DocumentTexts;
  readonly #vectors: Pick<VectorStore, 'get'>;
  readonly #embedders: Pick<SpaceEmbedders, 'ready' | 'names'>;

  constructor({ texts, vectors, embedders }: SummariesOptions) {
    this.#texts = texts;
    this.#vectors = vectors;
    this.#embedders = embedders;
  }

  /**
   * Forms a summary by words, of passages that were just cut.
   * @param text of which the passages are ranges
   * @returns undefined if a model is ready: vectors will decide
   */
  async ofPassages(document: Live, text: string, { memories, chunks }: Passages): Promise<Summary | undefined> {
    const ranges = memories.length > 0 ? memories : chunks.map((chunk) => ({ ...chunk, speaker: null }));
    const passages = bodyPlaces(document, ranges.length).map((place) => {
      const { start, end, speaker } = ranges[place] as (typeof ranges)[number];
      return { place, text: text.slice(start, end), speaker };
    });
    const candidates = candidatesOf(passages);
    const isLeftToVectors = !fitsWhole(candidates) && this.#embedders.ready().length > 0;
    return isLeftToVectors ? undefined : byWords(candidates);
  }

  /** Adds the summary by words to the pieces of a very long document, unless a model is ready. @throws MissingBlobError */
  async addTo(pieces: Pieces, { extracted, content, frontMatter }: Live): Promise<Pieces> {
    if (this.#embedders.ready().length > 0) return pieces;
    const { chunks, memories } = pieces;
    const passages = await this.#passagesOf({ chunks, memories, extracted, content, frontMatter });
    return { ...pieces, summary: await byWords(candidatesOf(passages)) };
  }

  /**
   * Forms a summary by the vectors of a space.
   * @param units all of the document
   * @returns undefined if the cache lacks the vectors
   */
  async ofUnits(document: Live, units: readonly Unit[], space: string): Promise<Summary | undefined> {
    const memories = units.findIndex(({ kind }) => kind === 'memory');
    const first = Math.max(memories, 0);
    const passages = bodyPlaces(document, units.length - first).map((place) => {
      const { text, speaker } = units[first + place] as Unit;
      return { place, text, speaker };
    });
    const candidates = candidatesOf(passages);
    if (fitsWhole(candidates)) return composeSummary(candidates, null);
    const { keys } = await embeddedTextsInTurns(space, document, units);
    const vectors = await this.#vectorsOf(candidates.map(({ place }) => keys[first + place] as UnitKeys));
    return vectors === null ? undefined : composeSummary(candidates, scoresByVectors(vectors));
  }

  /** Forms the summary of a document with passages: by vectors if it has some. @throws MissingBlobError */
  async ofDocument(document: Live): Promise<Summary> {
    const { vectorSpace } = document;
    if (vectorSpace !== null) {
      const units = await unitsOf(document, this.#texts);
      // Another space may have replaced the one that the document names.
      for (const space of new Set([vectorSpace, ...this.#embedders.names()])) {
        const summary = await this.ofUnits(document, units, space);
        if (summary !== undefined) return summary;
      }
    }
    return byWords(candidatesOf(await this.#passagesOf(document)));
  }

  /** Reads the passages along with the text, so that a long one is not held whole, and a very long one not to its end. */
  async #passagesOf(document: UnitSource & Pick<Live, 'frontMatter'>): Promise<readonly SummaryPassage[]> {
    const { chunks, memories } = document;
    const counts = { memory: countOf(memories), chunk: countOf(chunks) };
    const kind = counts.memory > 0 ? 'memory' : 'chunk';
    const places = bodyPlaces(document, Math.min(counts[kind], MOST_READ));
    const considered = new Set(places);
    const last = places.at(-1);
    const passages: SummaryPassage[] = [];
    for await (const { ordinal: place, text, speaker } of (await unitsAlong(document, kind, this.#texts)) ?? []) {
      if (considered.has(place)) passages.push({ place, text: copied(text), speaker });
      if (place === last) break;
    }
    return passages;
  }

  async #vectorsOf(keys: readonly UnitKeys[]): Promise<readonly QuantizedVector[] | null> {
    const alone = keys.map(({ bare }) => ({ bare, wide: null, tokens: 0 }));
    const [found] = await findVectors({ get: (wanted) => this.#vectors.get(wanted) }, [alone]);
    return found?.map(({ bare, others = [] }) => (others.length === 0 ? bare : meanOf([bare, ...others]))) ?? null;
  }
}

/** Places of the passages that are compared: of a text with front matter, those behind it. @param count of all passages */
function bodyPlaces({ frontMatter }: Pick<Live, 'frontMatter'>, count: number): readonly number[] {
  const first = frontMatter === null ? 0 : 1;
  return consideredPlaces(Math.max(count - first, 0)).map((place) => first + place);
}

/** A part of a string keeps the whole string in memory; a copy does not. */
const copied = (text: string): string => Buffer.from(text).toString();

async function byWords(candidates: readonly Candidate[]): Promise<Summary> {
  return composeSummary(candidates, fitsWhole(candidates) ? null : await scoresByWords(candidates));
}

const countOf = (list: Live['chunks'] | Live['memories']): number =>
  list === null ? 0 : 'inline' in list ? list.inline.length : list.length;

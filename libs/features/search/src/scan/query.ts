import { plainWords } from '../analysis/analyse.ts';
import { termHash } from '../analysis/hash.ts';
import { asksWhen } from '../analysis/phrases.ts';
import { type QueryLanguages, type QueryTerm, queryLanguages, queryTerms } from '../analysis/query-terms.ts';
import { DIMENSION_STEP } from '../entries/layout.ts';

/** Bits of a term mask. */
const MAX_TERMS = 32;
/** Words that may name a speaker. */
const MAX_WORDS = 512;

/** An analysed query with its quantized vector. */
export interface PreparedQuery {
  /** Distinct, at most 32. */
  readonly terms: readonly QueryTerm[];
  /** The hashes of all terms, at most 32, those of one term next to each other. What is scanned for. */
  readonly hashes: readonly number[];
  /** The query vector as int16; null searches by words only. */
  readonly vector: Int16Array | null;
  /** Cosine = dot product with `vector` · stored scale · `scale`. */
  readonly scale: number;
  /** The vector of the question's core, as `vector` and `scale`. Null: the ranker does not apply. */
  readonly core: { readonly vector: Int16Array; readonly scale: number } | null;
  /** Hashes of the first 512 unstemmed query words, to match names of speakers. */
  readonly words: ReadonlySet<number>;
  readonly asksWhen: boolean;
}

/** What of a search its terms depend on, beside the question. */
export interface QueryOptions {
  /** Vector of `coreOf(text)` in the same space; null: not embedded. Default: null. */
  readonly core?: Float32Array | null;
  /** Of the scope, English apart, the most frequent first. Default: none. */
  readonly languages?: readonly string[];
}

/**
 * Analyses a query and quantizes its vectors.
 * @param vector in the vector space of the scanned entries; its dimensions are a multiple of 32
 * @throws Error for other dimensions
 */
export function prepareQuery(
  text: string,
  vector: Float32Array | null,
  { core = null, languages = [] }: QueryOptions = {},
): PreparedQuery {
  const terms = limitedTerms(text, queryLanguages(text, languages));
  return {
    terms,
    hashes: terms.flatMap(({ hashes }) => hashes),
    ...(vector === null ? { vector: null, scale: 0 } : quantizeQuery(vector)),
    core: vector === null || core === null ? null : quantizeCore(core, vector.length),
    words: new Set(plainWords(text).slice(0, MAX_WORDS).map(termHash)),
    asksWhen: asksWhen(text),
  };
}

/** Limits the hashes of a query: first to fewer languages, then to the longest words, which are usually the rarest. */
function limitedTerms(text: string, { languages, asked }: QueryLanguages): readonly QueryTerm[] {
  const terms = queryTerms(text, { languages, asked });
  if (terms.reduce((sum, { hashes }) => sum + hashes.length, 0) <= MAX_TERMS) return terms;
  if (languages.length > 1) return limitedTerms(text, { languages: languages.slice(0, -1), asked });
  const longest = terms.toSorted((a, b) => b.term.length - a.term.length);
  let left = MAX_TERMS;
  return longest.filter(({ hashes }) => {
    left -= hashes.length;
    return left >= 0;
  });
}

function quantizeCore(core: Float32Array, dimensions: number): PreparedQuery['core'] {
  if (core.length !== dimensions)
    throw new Error(`A core of ${core.length} dimensions, and a question of ${dimensions}`);
  const { vector, scale } = quantizeQuery(core);
  return vector === null ? null : { vector, scale };
}

/** Uses the smallest step for which every dot product fits into 32 bits. */
function quantizeQuery(vector: Float32Array): { vector: Int16Array | null; scale: number } {
  const dimensions = vector.length;
  if (dimensions === 0 || dimensions % DIMENSION_STEP !== 0) {
    throw new Error(`A query vector of ${dimensions} dimensions: not a multiple of ${DIMENSION_STEP}`);
  }
  let largest = 0;
  let squares = 0;
  for (const component of vector) {
    largest = Math.max(largest, Math.abs(component));
    squares += component * component;
  }
  if (largest === 0) return { vector: null, scale: 0 };
  const steps = Math.min(32_767, Math.floor((2 ** 31 - 1) / (127 * dimensions)));
  const quantized = new Int16Array(dimensions);
  for (let i = 0; i < dimensions; i++) quantized[i] = Math.round(((vector[i] as number) / largest) * steps);
  return {
    vector: quantized,
    scale: largest / steps / Math.sqrt(squares),
  };
}

import { plainWords, type QueryTerm, queryTerms } from '../analysis/analyse.ts';
import { termHash } from '../analysis/hash.ts';
import { asksWhen } from '../analysis/phrases.ts';
import { DIMENSION_STEP } from '../entries/layout.ts';

/** One bit of a mask per term. */
const MOST_TERMS = 32;

/** A question, ready to be scanned for. */
export interface PreparedQuery {
  /** Distinct, at most 32. */
  readonly terms: readonly QueryTerm[];
  /** The question's vector at int16; null searches by words alone. */
  readonly vector: Int16Array | null;
  /** Dot product with `vector`, times this, times the stored scale = cosine. */
  readonly scale: number;
  /** Hashes of the words of the question as written, among which a speaker's name may be. */
  readonly words: ReadonlySet<number>;
  readonly asksWhen: boolean;
}

/**
 * @param vector of the question, in the vector space of the entries that will be scanned; dimensions a multiple of 32
 * @throws Error for other dimensions
 */
export function prepareQuery(text: string, vector: Float32Array | null): PreparedQuery {
  return {
    terms: mostTelling(queryTerms(text)),
    ...(vector === null ? { vector: null, scale: 0 } : quantizeQuestion(vector)),
    words: new Set(plainWords(text).map(termHash)),
    asksWhen: asksWhen(text),
  };
}

/** A text pasted as a question has more terms than bits: the longest words are the rarest. */
function mostTelling(terms: readonly QueryTerm[]): readonly QueryTerm[] {
  if (terms.length <= MOST_TERMS) return terms;
  return terms.toSorted((a, b) => b.term.length - a.term.length).slice(0, MOST_TERMS);
}

/** At the finest steps with which no dot product can leave 32 bits. */
function quantizeQuestion(vector: Float32Array): { vector: Int16Array | null; scale: number } {
  const dimensions = vector.length;
  if (dimensions === 0 || dimensions % DIMENSION_STEP !== 0) {
    throw new Error(`A question vector of ${dimensions} dimensions: not a multiple of ${DIMENSION_STEP}`);
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

import type { QueryTerm } from '../analysis/analyse.ts';
import { lowestBit } from './bits.ts';

/** As measured on conversations (k1 .9, b .4 with stems and stop words). */
const K1 = 0.9;
const B = 0.4;

/** One form of the texts of a scope (bare units, wide units, or whole documents): what BM25 has to know of all of them. */
export interface FormStatistics {
  readonly texts: number;
  /** Sum of their lengths, in terms with repetitions. */
  readonly terms: number;
  /** For each term of the question, how many of the texts hold it. */
  readonly documentFrequencies: readonly number[];
}

/**
 * BM25 over one form of the scanned texts (bare units, wide units, or whole documents):
 *
 *   score = Σ weight · idf · tf / (tf + k1 (1 − b + b · length / averageLength)),  idf = ln(1 + (N − df + ½) / (df + ½))
 *
 * as in Lucene: without the constant factor k1 + 1. Statistics are gathered first (`count`) or given (`of`), scores asked
 * for afterwards.
 */
export class Bm25 {
  readonly #weights: Float64Array;
  readonly #documentFrequencies: Float64Array;
  /** weight · idf */
  readonly #gains: Float64Array;
  #texts = 0;
  #terms = 0;
  #lengthFactor = 0;

  constructor(terms: readonly QueryTerm[]) {
    this.#weights = Float64Array.from(terms, ({ weight }) => weight);
    this.#documentFrequencies = new Float64Array(terms.length);
    this.#gains = new Float64Array(terms.length);
  }

  static of(terms: readonly QueryTerm[], statistics: FormStatistics): Bm25 {
    const bm25 = new Bm25(terms);
    bm25.#texts = statistics.texts;
    bm25.#terms = statistics.terms;
    bm25.#documentFrequencies.set(statistics.documentFrequencies);
    bm25.weigh();
    return bm25;
  }

  /** What each term of the question can add to a score at most. */
  get gains(): ArrayLike<number> {
    return this.#gains;
  }

  /** @param mask bit q = the text holds term q */
  count(mask: number, length: number): void {
    this.#texts += 1;
    this.#terms += length;
    for (let left = mask; left !== 0; left &= left - 1) {
      const term = lowestBit(left);
      this.#documentFrequencies[term] = (this.#documentFrequencies[term] as number) + 1;
    }
  }

  /** Closes the statistics. */
  weigh(): void {
    for (let term = 0; term < this.#gains.length; term++) {
      const found = this.#documentFrequencies[term] as number;
      const idf = Math.log(1 + (this.#texts - found + 0.5) / (found + 0.5));
      this.#gains[term] = (this.#weights[term] as number) * idf;
    }
    this.#lengthFactor = this.#terms === 0 ? 0 : (K1 * B * this.#texts) / this.#terms;
  }

  /** @returns what `length` adds to a count in the denominator */
  dampening(length: number): number {
    return K1 * (1 - B) + this.#lengthFactor * length;
  }

  /** @returns what `count` occurrences of a term add to the score of a text with this dampening */
  gain(term: number, count: number, dampening: number): number {
    return ((this.#gains[term] as number) * count) / (count + dampening);
  }

  /** @returns the share of the question's weight, by idf, that the terms of a mask carry; 0…1 */
  coverage(mask: number): number {
    let covered = 0;
    let all = 0;
    for (let term = 0; term < this.#gains.length; term++) {
      const gain = this.#gains[term] as number;
      all += gain;
      if ((mask >>> term) & 1) covered += gain;
    }
    return all === 0 ? 0 : covered / all;
  }
}

import type { QueryTerm } from '../analysis/query-terms.ts';
import { lowestBit } from './bits.ts';

/** Best values measured on conversations, with stems and stop words. */
const K1 = 0.9;
const B = 0.4;

/** BM25 statistics of one form of the texts of a scope: bare units, wide units, or whole documents. */
export interface FormStatistics {
  readonly texts: number;
  /** Sum of their lengths in terms, repetitions included. */
  readonly terms: number;
  /** For each query term, the number of texts that contain it. */
  readonly documentFrequencies: readonly number[];
}

/**
 * BM25 over one form of the scanned texts (bare units, wide units, or whole documents):
 *
 *   score = Σ weight · idf · tf / (tf + k1 (1 − b + b · length / averageLength)),  idf = ln(1 + (N − df + ½) / (df + ½))
 *
 * as in Lucene: without the constant factor k1 + 1. Gather statistics with `count` and `finishStatistics`, or pass them to
 * `of`, before reading scores.
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
    bm25.finishStatistics();
    return bm25;
  }

  /** Upper bound of each query term's contribution to a score. */
  get gains(): ArrayLike<number> {
    return this.#gains;
  }

  /** Adds one text to the statistics. @param mask bit q = the text contains term q */
  count(mask: number, length: number): void {
    this.#texts += 1;
    this.#terms += length;
    for (let left = mask; left !== 0; left &= left - 1) {
      const term = lowestBit(left);
      this.#documentFrequencies[term] = (this.#documentFrequencies[term] as number) + 1;
    }
  }

  /** Computes gains and the length factor from the statistics. */
  finishStatistics(): void {
    for (let term = 0; term < this.#gains.length; term++) {
      const frequency = this.#documentFrequencies[term] as number;
      const idf = Math.log(1 + (this.#texts - frequency + 0.5) / (frequency + 0.5));
      this.#gains[term] = (this.#weights[term] as number) * idf;
    }
    this.#lengthFactor = this.#terms === 0 ? 0 : (K1 * B * this.#texts) / this.#terms;
  }

  /** Returns the length term of the denominator. */
  dampening(length: number): number {
    return K1 * (1 - B) + this.#lengthFactor * length;
  }

  /** Returns the contribution of `count` occurrences of a term to the score of a text with this dampening. */
  gain(term: number, count: number, dampening: number): number {
    return ((this.#gains[term] as number) * count) / (count + dampening);
  }

  /** Returns the share of the query's weight, by idf, that the terms of a mask have; 0…1. */
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

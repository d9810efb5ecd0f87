import { capInOrder, type OrderedBy } from '#features/search';
import type { UnitHit } from '#read-side/views';
import type { Explanation } from '../search-options.ts';

export interface ScoredHit {
  readonly hit: UnitHit;
  readonly orderedBy: OrderedBy;
  /** The value by which it is ordered, comparable among hits that are ordered by the same. */
  readonly order: number;
  /** Similarity of the question and this hit, 0–1. */
  readonly own: number;
  /** The same, but never rising down the list. */
  readonly similarity: number;
  readonly explanation: Explanation;
}

/** Gives each hit its own similarity, lowered where it would rise down the list. */
export function inOrder(hits: readonly Omit<ScoredHit, 'similarity'>[]): ScoredHit[] {
  const capped = capInOrder(hits.map(({ own }) => own));
  return hits.map((hit, i) => ({ ...hit, similarity: capped[i] ?? 0 }));
}

/** Keeps the hits that reach a threshold by themselves: one that does not reach it lowers none of the others. */
export const atLeast = (hits: readonly ScoredHit[], threshold: number): ScoredHit[] =>
  inOrder(hits.filter(({ own }) => own >= threshold));

/** Keeps the best of results that say the same. */
export function withoutRepetition<T>(results: readonly T[], textOf: (result: T) => string): T[] {
  const byText = Map.groupBy(results, textOf);
  return [...byText.values()].flatMap(([best]) => best as T);
}

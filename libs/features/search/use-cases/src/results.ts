import { capInOrder, type OrderedBy, sharesOf, similarity, totalOf } from '#features/search';
import type { UnitHit } from '#read-side/views';
import type { Explanation } from './search-options.ts';

export interface ScoredHit {
  readonly hit: UnitHit;
  /** In which the question was compared with it. Null: by words alone. */
  readonly space: string | null;
  readonly orderedBy: OrderedBy;
  /** The value by which it is ordered, comparable among hits that are ordered by the same. */
  readonly order: number;
  /** From the evidence of the hit itself, 0–1. */
  readonly own: number;
  /** The same, but never rising down the list. */
  readonly similarity: number;
  readonly explanation: Explanation;
}

/** Order stays that of the fused score; the similarity comes from each hit's own evidence. */
export function scored(hits: readonly UnitHit[]): ScoredHit[] {
  return inOrder(
    hits.map((hit) => {
      const { space } = hit;
      return {
        hit,
        space,
        ...(hit.features === null
          ? { orderedBy: 'score' as const, order: hit.score }
          : { orderedBy: 'features' as const, order: totalOf(hit.features, space) }),
        own: similarity(hit.evidence, space),
        explanation: {
          cosine: hit.evidence.cosineBare,
          cosineWide: hit.evidence.cosineWide,
          coverage: hit.evidence.coverage,
          ranking: hit.features === null ? null : sharesOf(hit.features, space),
        },
      };
    }),
  );
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
  const seen = new Set<string>();
  return results.filter((result) => {
    const text = textOf(result);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

import { similarity } from '#features/search';
import type { UnitHit, UnitSearchQuery } from './queries.ts';

/** A search with the vector of one space. Other documents count in its statistics. */
export interface OneSpaceSearch {
  readonly query: UnitSearchQuery;
  /** Which documents are candidates, by the spaces of their vectors. Null: all. */
  readonly candidates: SpaceCondition | null;
}

/**
 * `has`: with vectors of this space, and of none of `lacks`. `prefers`: with vectors of this space, or of none of `others`.
 * Names of spaces.
 */
export type SpaceCondition =
  | { readonly has: string; readonly lacks: readonly string[] }
  | { readonly prefers: string; readonly others: readonly string[] };

/**
 * Divides a search so that each document is compared in the first of the spaces in which it has vectors; those without vectors
 * are found by the first search.
 */
export function searchesOf(query: UnitSearchQuery): readonly OneSpaceSearch[] {
  const [first, ...others] = query.vectors;
  if (first === undefined || others.length === 0) return [{ query, candidates: null }];
  const spaces = query.vectors.map(({ space }) => space);
  return [
    { query: { ...query, vectors: [first] }, candidates: { prefers: first.space, others: spaces.slice(1) } },
    ...others.map((vector, i) => ({
      query: { ...query, vectors: [vector] },
      candidates: { has: vector.space, lacks: spaces.slice(0, i + 1) },
    })),
  ];
}

/**
 * Joins what the searches found. Scores are comparable in one search only, so the similarity decides between the searches:
 * of each search the highest one that is still to come. Within a search the order stays.
 */
export function joinedHits(searches: readonly OneSpaceSearch[], found: readonly (readonly UnitHit[])[]): UnitHit[] {
  const [first] = searches;
  if (first === undefined || searches.length === 1) return [...(found[0] ?? [])];
  const keyed = found.flatMap((hits) => {
    let highest = 0;
    return hits
      .toReversed()
      .map((hit) => {
        highest = Math.max(highest, similarity(hit.evidence, hit.space));
        return { hit, key: highest };
      })
      .reverse();
  });
  return keyed
    .sort((a, b) => b.key - a.key)
    .slice(0, first.query.limit)
    .map(({ hit }) => hit);
}

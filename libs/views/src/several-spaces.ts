import { similarity } from '#search';
import type { UnitHit, UnitSearchQuery } from './port.ts';

/** A search with the vector of one space. Other documents count in its statistics. */
export interface OneSpaceSearch {
  readonly query: UnitSearchQuery;
  /** Which documents are candidates, by the space of their vectors. Null: all. */
  readonly candidates: SpaceCondition | null;
}

/** `in`: of one of the spaces; `notIn`: of another one, or without vectors. Names of spaces. */
export type SpaceCondition = { readonly in: readonly string[] } | { readonly notIn: readonly string[] };

/** Divides a search so that each document is compared in its own space; those without vectors are found by the first one. */
export function searchesOf(query: UnitSearchQuery): readonly OneSpaceSearch[] {
  const [first, ...others] = query.vectors;
  if (first === undefined || others.length === 0) return [{ query, candidates: null }];
  return [
    { query: { ...query, vectors: [first] }, candidates: { notIn: others.map(({ space }) => space) } },
    ...others.map((vector) => ({ query: { ...query, vectors: [vector] }, candidates: { in: [vector.space] } })),
  ];
}

/**
 * Joins what the searches found. Scores are comparable in one search only, so the similarity decides between the searches:
 * of each search the highest one that is still to come. Within a search the order stays.
 */
export function joinedHits(searches: readonly OneSpaceSearch[], found: readonly (readonly UnitHit[])[]): UnitHit[] {
  const [first] = searches;
  if (first === undefined || searches.length === 1) return [...(found[0] ?? [])];
  const keyed = found.flatMap((hits, search) => {
    const space = searches[search]?.query.vectors[0]?.space ?? null;
    let highest = 0;
    return hits
      .toReversed()
      .map((hit) => {
        const own = similarity(hit.evidence, hit.document.vectorSpaces.includes(space ?? '') ? space : null);
        highest = Math.max(highest, own);
        return { hit, key: highest };
      })
      .reverse();
  });
  return keyed
    .sort((a, b) => b.key - a.key)
    .slice(0, first.query.limit)
    .map(({ hit }) => hit);
}

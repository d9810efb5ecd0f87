import { type PreparedQuery, RANKED, type RankerInputs, reorder } from '#features/search';
import { vectorOfQuery } from './one-space.ts';
import type { UnitHit, UnitSearchQuery } from './queries.ts';

/** A hit as the base formula ranks it. */
export interface BaseHit extends Omit<UnitHit, 'features' | 'space'> {
  /** Null: without vectors, or the query has no core. */
  readonly inputs: RankerInputs | null;
}

/** A search with its prepared question. */
interface PreparedSearch {
  readonly query: Pick<UnitSearchQuery, 'limit'>;
  readonly prepared: Pick<PreparedQuery, 'core'>;
}

/** Units of the base formula that an answer is made of: the ranker also looks at those beyond the limit. */
export const consideredFor = ({ query, prepared }: PreparedSearch): number =>
  prepared.core === null ? query.limit : Math.max(query.limit, RANKED);

/** Applies the ranker to the best hits, and returns as many as the query asks for. @param best in the order of the base formula */
export function rankedHits(query: UnitSearchQuery, best: readonly BaseHit[]): UnitHit[] {
  const units = best.map((hit) => ({
    ...{ hit, score: hit.score, inputs: hit.inputs, document: hit.document },
    ...{ text: hit.unit.text, speaker: hit.unit.speaker },
    documentDate: hit.unit.location?.date ?? hit.document.documentDate,
  }));
  const space = vectorOfQuery(query)?.space ?? null;
  return reorder(query.question, units, space)
    .slice(0, query.limit)
    .map(({ unit: { hit }, features }) => hitOf(hit, features, space));
}

const hitOf = ({ inputs: _, ...hit }: BaseHit, features: UnitHit['features'], space: string | null): UnitHit => ({
  ...hit,
  ...{ features, space: hit.evidence.cosineBare === null ? null : space },
});

import { type RankerInputs, reorder } from '#search';
import type { UnitHit, UnitSearchQuery } from './port.ts';

/** A hit as the base formula ranks it. */
export interface BaseHit extends UnitHit {
  /** Null: without vectors. */
  readonly inputs: RankerInputs | null;
}

/** Applies the ranker to the best hits, and returns as many as the query asks for. @param best in the order of the base formula */
export function rankedHits({ question, limit }: UnitSearchQuery, best: readonly BaseHit[]): UnitHit[] {
  const units = best.map((hit) => ({
    ...{ hit, score: hit.score, inputs: hit.inputs, document: hit.document },
    ...{ text: hit.unit.text, speaker: hit.unit.speaker, documentDate: hit.document.documentDate },
  }));
  return reorder(question, units)
    .slice(0, limit)
    .map(({ unit: { hit }, features }) => hitOf(hit, features));
}

export const withoutInputs = (hits: readonly BaseHit[]): UnitHit[] => hits.map((hit) => hitOf(hit, null));

const hitOf = ({ unit, score, evidence, document }: BaseHit, features: UnitHit['features']): UnitHit => ({
  ...{ unit, score, evidence, features, document },
});

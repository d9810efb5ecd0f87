/** How a question and a unit were compared a second time. */
export type RerankMethod = 'maxsim' | 'cross-encoder';

/** By what a unit was ordered before: the ranker's features, the base formula, or the merged forms of a rewritten question. */
export type OrderedBy = 'features' | 'score' | 'forms';

export interface RerankedUnit {
  readonly orderedBy: OrderedBy;
  /** The value by which it was ordered among the units that were ordered so. */
  readonly order: number;
  /** Of the reranker. Null: the unit keeps its place. */
  readonly rerank: number | null;
}

/** Of the MaxSim score, scaled to 0…1 over the units that are ordered together. Set on five conversations of LoCoMo. */
const WEIGHTS: Readonly<Record<OrderedBy, number>> = { features: 1.25, score: 0.3, forms: 0.1 };

/**
 * Orders units by their order and their MaxSim score; those of a cross-encoder by its logit alone. Units that were ordered by
 * different values exchange no places, and units without a score keep theirs.
 * @param units in their order
 */
export function reranked<T extends RerankedUnit>(units: readonly T[], method: RerankMethod): T[] {
  const result = [...units];
  const together = Map.groupBy(
    units.map((unit, place) => ({ unit, place })).filter(({ unit }) => unit.rerank !== null),
    // Logits are comparable with each other.
    ({ unit }) => (method === 'cross-encoder' ? null : unit.orderedBy),
  );
  for (const [orderedBy, own] of together) {
    const scores = own.map(({ unit }) => unit.rerank as number);
    const min = Math.min(...scores);
    const range = Math.max(...scores) - min;
    const total = ({ order, rerank }: T) =>
      orderedBy === null
        ? (rerank as number)
        : order + (range === 0 ? 0 : (WEIGHTS[orderedBy] * ((rerank as number) - min)) / range);
    // Stable: units of the same total stay in their order.
    const sorted = own.map(({ unit }) => ({ unit, total: total(unit) })).sort((a, b) => b.total - a.total);
    own.forEach(({ place }, i) => {
      result[place] = sorted[i]?.unit as T;
    });
  }
  return result;
}

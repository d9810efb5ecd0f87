/** Scores of one unit by leg: the input of its similarity and of explanations. */
export interface Evidence {
  /** −1…1; null without a query vector or without a vector of that form. */
  readonly cosineBare: number | null;
  readonly cosineWide: number | null;
  /** Share of the query's distinct terms in the bare and in the wide form, 0…1. Independent of other documents. */
  readonly share: number;
  readonly shareWide: number;
  /** The same, with each term weighted by its idf in the scanned scope, 0…1. */
  readonly coverage: number;
  readonly coverageWide: number;
  /** Share of the bare unit's terms (repetitions included) that occur in the query, 0…1. */
  readonly density: number;
  readonly bm25Wide: number;
  readonly bm25Bare: number;
  readonly bm25Document: number;
}

/** Returns the share of the query's terms whose bits are set in a mask. */
export function shareOf(mask: number, terms: number): number {
  let count = 0;
  for (let left = mask; left !== 0; left &= left - 1) count += 1;
  return count === 0 ? 0 : count / terms;
}

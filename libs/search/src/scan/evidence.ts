/** What speaks for a unit, apart from the rest of the container: the ground of its similarity and of explanations. */
export interface Evidence {
  /** −1…1; null without a question vector or without a vector of that form. */
  readonly cosineBare: number | null;
  readonly cosineWide: number | null;
  /** Share of the question's distinct terms in the bare and in the wide form, 0…1. The same in every container. */
  readonly share: number;
  readonly shareWide: number;
  /** The same with each term weighted by its idf among what was scanned, 0…1. */
  readonly coverage: number;
  readonly coverageWide: number;
  /** Share of the bare unit's terms (repetitions included) that the question holds, 0…1: 1 if the unit says nothing else. */
  readonly density: number;
  readonly bm25Wide: number;
  readonly bm25Bare: number;
  readonly bm25Document: number;
}

/** @returns the share of the question's terms whose bits are set in a mask */
export function shareOf(mask: number, terms: number): number {
  let found = 0;
  for (let left = mask; left !== 0; left &= left - 1) found += 1;
  return found === 0 ? 0 : found / terms;
}

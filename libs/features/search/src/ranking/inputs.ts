/** What the ranker takes from the scores of a unit; engines provide it next to the score of the base formula. */
export interface RankerInputs {
  /** BM25 of the wide form, and of the whole document. */
  readonly words: number;
  readonly documentWords: number;
  /** Cosines of the question with the unit, and with the unit between its neighbours. */
  readonly meaning: number;
  readonly wide: number;
  /** Cosine of the unit with the core of the question. */
  readonly core: number;
  /** Mean of the cosines of the question and the units up to three places away, itself included. */
  readonly near: number;
  /** 1: the question names exactly one speaker in scope, and the unit is theirs; −1: another's. */
  readonly speaker: -1 | 0 | 1;
  /** ENDS_IN_QUESTION | HOLDS_TIME_WORD */
  readonly flags: number;
  /** Score of the previous unit by the base formula if it ends in a question mark, else 0. */
  readonly previous: number;
}

/** Units on each side whose cosines count in `near`. */
export const NEAR = 3;

/** Mean in a fixed order, so that every engine gets the same number. @param cosines null: the unit has no vector */
export function meanCosine(cosines: Iterable<number | null>): number {
  let sum = 0;
  let count = 0;
  for (const cosine of cosines) {
    if (cosine === null) continue;
    sum += cosine;
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}

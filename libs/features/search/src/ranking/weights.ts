import type { FeatureValues } from './features.ts';

/** For spaces whose units share windows. Fitted by test/bench/train-ranker.ts, which writes this file. */
export const WINDOW_WEIGHTS: FeatureValues = {
  words: 2.095,
  meaning: 1.283,
  wide: 1.12,
  near: 0.836,
  core: 1.806,
  documentWords: 1.108,
  documentBest: 1.159,
  namedSpeaker: 1.183,
  otherSpeaker: -1.183,
  question: -0.451,
  time: 1.62,
  date: 1.59,
  relativeDate: 1.27,
  answerType: 1.113,
  previous: 0.725,
};

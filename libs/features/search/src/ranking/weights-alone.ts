import type { FeatureValues } from './features.ts';

/** Fitted as those of `weights.ts`, in a space where each unit is embedded alone. */
export const ALONE_WEIGHTS: FeatureValues = {
  words: 1.704,
  meaning: 1.117,
  wide: 2.227,
  near: 0.653,
  core: 2.008,
  documentWords: 0.973,
  documentBest: 1.649,
  namedSpeaker: 1.195,
  otherSpeaker: -1.195,
  question: -0.428,
  time: 1.702,
  date: 2.127,
  relativeDate: 1.491,
  answerType: 1.283,
  previous: 0.777,
};

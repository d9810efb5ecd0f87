export { scoresByVectors } from './by-vectors.ts';
export { scoresByWords } from './by-words.ts';
export { type Candidate, candidatesOf, consideredPlaces, type SummaryPassage } from './candidates.ts';
export { composeSummary, fitsWhole } from './compose.ts';

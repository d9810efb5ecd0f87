export { MOST_CHANGED, TooManyChangedError } from './changed-since.ts';
export { documentsAsOf } from './documents-as-of.ts';
export { type HitsAsOf, KnownHits } from './known-hits.ts';
export { type ListedPastMemory, PastMemories } from './past-memories.ts';

export { changedSince, MOST_CHANGED, TooManyChangedError } from './changed-since.ts';
export { KnownHits } from './known-hits.ts';
export { type ListedPastMemory, PastMemories } from './past-memories.ts';

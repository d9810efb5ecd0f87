export { changedSince, MOST_CHANGED, TooManyChangedError } from './changed-since.ts';
export { KnownHits } from './known-hits.ts';
export { PastMemories, type PastMemory } from './past-memories.ts';

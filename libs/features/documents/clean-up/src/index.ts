export { collectGarbage } from './collect.ts';
export { countUnswept, ErasureFinisher } from './finish-erasures.ts';
export { foldersOfOrphans } from './orphans.ts';
export { allRemovedStreams, recordRemovals, removedStreams } from './removed-streams.ts';
export { runDeletions } from './run-deletions.ts';

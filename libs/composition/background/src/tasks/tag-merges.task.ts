import { runMerges } from '#features/container-tags/merging';
import type { LeasedTask } from '../leased-task.ts';

/** Time in which every process reads in the log that a merge has started. Milliseconds. */
const ANNOUNCE_MS = 2_000;

/** Moves documents from merged tags to others. */
export const tagMerges: LeasedTask = {
  name: 'tag-merges',
  run({ parts, logger }, { signal }) {
    const { store, settings } = parts.storage;
    const announceMs = settings.eventStoreUrl === null ? 0 : ANNOUNCE_MS;
    return runMerges({ ...parts, store, merges: parts.tagMerges, announceMs, logger, signal });
  },
};

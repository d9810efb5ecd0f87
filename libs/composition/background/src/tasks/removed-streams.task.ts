import { recordRemovals } from '#features/documents/clean-up';
import type { LeasedTask } from '../leased-task.ts';

/** Records the deletion of documents whose streams an operator removed in the database. */
export const removedStreams: LeasedTask = {
  name: 'removed-streams',
  isNeeded: ({ storage }) => storage.store.removals !== undefined,
  run({ parts, clock, hide, logger }, { signal }) {
    const { documents, erasure, views, storage } = parts;
    return recordRemovals({
      store: storage.store,
      documents,
      erasure,
      views: views.reader,
      clock,
      hide,
      logger,
      signal,
    });
  },
};

import { runDeletions } from '#features/documents/clean-up';
import type { LeasedTask } from '../leased-task.ts';
import { valueErasure } from './erase-values.ts';

/** Carries out deletions of many documents. */
export const bulkDeletions: LeasedTask = {
  name: 'bulk-deletions',
  run({ parts, hide, logger }, { signal }) {
    const { documents, deletionLog: deletions, erasure, views } = parts;
    const { store } = parts.storage;
    const eraseValues = valueErasure(parts, signal);
    return runDeletions({ store, deletions, documents, erasure, views, eraseValues, hide, logger, signal });
  },
};

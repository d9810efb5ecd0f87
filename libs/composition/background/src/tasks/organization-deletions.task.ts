import type { LeasedTask } from '../leased-task.ts';
import { deleteOrganizations } from './delete-organizations.ts';

/** An API process accepts keys for so long without hearing from the log; see `IssuedKeys`. Milliseconds. */
const KEYS_ACCEPTED_MS = 40_000;

/** Erases everything of the organizations whose deletion was requested. */
export const organizationDeletions: LeasedTask = {
  name: 'organization-deletions',
  run({ parts, clock, logger }, { signal }) {
    const isShared = parts.storage.settings.eventStoreUrl !== null;
    return deleteOrganizations({ parts, clock, logger, signal, waitMs: isShared ? KEYS_ACCEPTED_MS : 0 });
  },
};

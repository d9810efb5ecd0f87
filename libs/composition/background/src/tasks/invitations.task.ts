import { expireInvitations } from '#features/team';
import type { LeasedTask } from '../leased-task.ts';

/** Erases the addresses of invitations that are over. */
export const invitations: LeasedTask = {
  name: 'invitations',
  run: ({ parts, clock }, { signal }) =>
    expireInvitations({ store: parts.storage.store, team: parts.teamRepository, clock, signal }),
};

import type { LeasedTask } from './leased-task.ts';
import { bulkDeletions } from './tasks/bulk-deletions.task.ts';
import { dispatch } from './tasks/dispatch.task.ts';
import { eventFeed } from './tasks/event-feed.task.ts';
import { expiries } from './tasks/expiries.task.ts';
import { invitations } from './tasks/invitations.task.ts';
import { leftBehind } from './tasks/left-behind.task.ts';
import { organizationDeletions } from './tasks/organization-deletions.task.ts';
import { removedStreams } from './tasks/removed-streams.task.ts';
import { tagMerges } from './tasks/tag-merges.task.ts';
import { vectorSpace } from './tasks/vector-space.task.ts';

/** Every task that starts when the handlers on the bus exist. The projection starts before them. */
export const TASKS: readonly LeasedTask[] = [
  dispatch,
  leftBehind,
  expiries,
  invitations,
  vectorSpace,
  bulkDeletions,
  organizationDeletions,
  removedStreams,
  tagMerges,
  eventFeed,
];

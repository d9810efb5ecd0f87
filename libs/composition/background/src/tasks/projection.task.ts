import { VIEWS_LEASE } from '#read-side/views';
import type { LeasedTask } from '../leased-task.ts';

/** Writes what follows from the log to the views. */
export const projection: LeasedTask = {
  name: VIEWS_LEASE,
  run: ({ parts }, held) => parts.views.follow(held),
};

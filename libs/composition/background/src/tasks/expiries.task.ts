import type { LeasedTask } from '../leased-task.ts';
import { recordExpiries } from './record-expiries.ts';

/** Records that memories have expired. */
export const expiries: LeasedTask = {
  name: 'expiries',
  run: ({ parts, clock, logger }, { signal }) => recordExpiries({ ...parts, clock, logger, signal }),
};

import type { LeasedTask } from '../leased-task.ts';

/** Puts the work of the stages on the bus. */
export const dispatch: LeasedTask = {
  name: 'process-manager',
  run: ({ pipeline }, { signal }) => pipeline.manage(signal),
};

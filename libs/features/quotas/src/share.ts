/** A process takes this fraction of what is left at a time, and of the whole limit at most the other one. */
const OF_REST = 10;
const OF_LIMIT = 100;

/** How much a process takes in advance, so that it need not ask for each add. The last ones are taken one by one. */
export const inAdvance = (left: number, limit: number): number =>
  Math.max(0, Math.floor(Math.min(left / OF_REST, limit / OF_LIMIT)));

/** How long a process refuses without looking again. Milliseconds. */
export const LOOK_AGAIN_MS = 1_000;
/** How long a process counts for itself before it asks again for the count of all. Milliseconds. */
export const OUTAGE_RETRY_MS = 1_000;

import { requestAge } from '#platform/kernel';

/**
 * Age up to which a request waits for the views. Milliseconds. Every answer comes within 15 s, also if the request has waited
 * for the log for 12 s before.
 */
const REQUEST_MS = 14_000;

/** Returns for how long a request waits for the views. @param most for one that has just begun. Milliseconds */
export const viewsWait = (most: number): number => Math.max(0, Math.min(most, REQUEST_MS - requestAge()));

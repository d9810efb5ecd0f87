import type { Clock } from '#kernel';

/** The epoch that follows `last`, and follows also those that were forgotten. */
export const epochAfter = (last: number, clock: Clock): number => Math.max(last + 1, clock.now());

import type { Clock } from '#platform/kernel';

/** Returns a token greater than `last`, and greater than earlier ones whose record is lost. */
export const nextFencingToken = (last: number, clock: Clock): number => Math.max(last + 1, clock.now());

/**
 * Counts of durations in buckets whose limits grow by a tenth, the shortest first. The middle of a bucket is taken for what
 * is in it, so a percentile is at most 5 % off.
 */
export type Durations = number[];

const GROWTH = 1.1;
const LN_GROWTH = Math.log(GROWTH);
/** Upper limit of the first bucket. Milliseconds. */
const SHORTEST_MS = 0.1;

const bucketOf = (milliseconds: number): number =>
  Math.ceil(Math.log(Math.max(milliseconds, SHORTEST_MS) / SHORTEST_MS) / LN_GROWTH);

/** Counts a duration. */
export function addDuration(to: Durations, milliseconds: number): void {
  const bucket = bucketOf(milliseconds);
  while (to.length <= bucket) to.push(0);
  (to[bucket] as number) += 1;
}

export function addDurations(to: Durations, from: Readonly<Durations>): void {
  while (to.length < from.length) to.push(0);
  for (let i = 0; i < from.length; i += 1) (to[i] as number) += from[i] as number;
}

/** Returns the duration that a share of those counted do not exceed. Milliseconds; null: none are counted. */
export function percentileOf(durations: Readonly<Durations>, share: number): number | null {
  let total = 0;
  for (let i = 0; i < durations.length; i += 1) total += durations[i] as number;
  let left = Math.max(1, Math.ceil(total * share));
  for (let i = 0; i < durations.length; i += 1) {
    left -= durations[i] as number;
    if (left <= 0) return SHORTEST_MS * GROWTH ** (i - 0.5);
  }
  return null;
}

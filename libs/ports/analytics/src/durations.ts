/**
 * Counts of durations in buckets whose limits grow by a tenth. The middle of a bucket is taken for what is in it, so a
 * percentile is at most 5 % off.
 */
export type Durations = Record<string, number>;

const GROWTH = 1.1;
const LN_GROWTH = Math.log(GROWTH);
/** What is shorter counts as this. */
const SHORTEST_MS = 0.1;

/** Name of the bucket of a duration. */
export const bucketOf = (milliseconds: number): number =>
  Math.ceil(Math.log(Math.max(milliseconds, SHORTEST_MS)) / LN_GROWTH);

/** Returns the duration that a share of those counted do not exceed. Milliseconds; null: none are counted. */
export function percentileOf(durations: Durations, share: number): number | null {
  const buckets = Object.entries(durations)
    .map(([bucket, count]) => [Number(bucket), count] as const)
    .sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  let left = Math.max(1, Math.ceil(total * share));
  for (const [bucket, count] of buckets) {
    left -= count;
    if (left <= 0) return GROWTH ** (bucket - 0.5);
  }
  return null;
}

const DAY = 'YYYY-MM-DD'.length;
const MONTH = 'YYYY-MM'.length;
const DAY_MS = 86_400_000;

/** A day or a month of UTC. */
export type Period = 'day' | 'month';

/** Names the period of a time, such as `2026-11-28` or `2026-11`. @param now milliseconds since the Unix epoch */
export const periodAt = (period: Period, now: number): string =>
  new Date(now).toISOString().slice(0, period === 'day' ? DAY : MONTH);

/** When the period of a time ends. Milliseconds since the Unix epoch. */
export function endOf(period: Period, now: number): number {
  if (period === 'day') return now - (now % DAY_MS) + DAY_MS;
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

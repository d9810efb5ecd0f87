/**
 * Returns the pause that a header `Retry-After` asks for, as seconds or as a date. Milliseconds; null: none that can be read.
 */
export function pauseOf(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  const pause = /^\d+$/.test(retryAfter.trim()) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  return Number.isFinite(pause) && pause >= 0 ? pause : null;
}

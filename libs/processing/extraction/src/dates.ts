const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Writes `2023-05-08T10:00:00Z` as `8 May 2023`. Returns null if the text does not begin with an ISO 8601 date. */
export function dateInWords(iso: string): string | null {
  const match = /^\s*(\d{4})-(\d\d)-(\d\d)(?!\d)/.exec(iso);
  const month = MONTHS[Number(match?.[2]) - 1];
  return match === null || month === undefined ? null : `${Number(match[3])} ${month} ${match[1]}`;
}

/** `2023-05-08T10:00` or `2023-05-08 10:00:00.5`: the zone of the machine says nothing about it. */
const ZONELESS = /^\s*\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s*$/;

/**
 * Returns a date of a source in ISO 8601: `2023-05-08` as it is, a date with a time in UTC, which a time without a zone is read in.
 * Null if it is none, or not between the years 1 and 9999.
 */
export function isoDateOf(date: string | Date | null | undefined): string | null {
  if (date === null || date === undefined) return null;
  if (typeof date === 'string') {
    const day = /^\s*(\d{4}-\d\d-\d\d)\s*$/.exec(date)?.[1];
    if (day !== undefined) return Number.isNaN(Date.parse(day)) ? null : day;
    // Other words than those of a date may parse as one: `May 1`.
    if (!/\d{4}/.test(date) || date.length > 60) return null;
  }
  const time = typeof date === 'string' ? Date.parse(ZONELESS.test(date) ? `${date.trim()}Z` : date) : date.getTime();
  if (Number.isNaN(time)) return null;
  const iso = new Date(time).toISOString();
  return /^\d{4}-/.test(iso) && !iso.startsWith('0000') ? iso : null;
}

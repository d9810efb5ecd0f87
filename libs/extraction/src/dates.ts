const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Writes `2023-05-08T10:00:00Z` as `8 May 2023`. Returns null if the text does not begin with an ISO 8601 date. */
export function dateInWords(iso: string): string | null {
  const match = /^\s*(\d{4})-(\d\d)-(\d\d)(?!\d)/.exec(iso);
  const month = MONTHS[Number(match?.[2]) - 1];
  return match === null || month === undefined ? null : `${Number(match[3])} ${month} ${match[1]}`;
}

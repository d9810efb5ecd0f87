const DAY_MS = 86_400_000;
/** Days from 1970 to the days from which spreadsheets count. 1900 has a day too many there, so dates begin a day earlier. */
const EPOCH_1900 = -25_569;
const EPOCH_1904 = -24_107;
/** 31 December 9999. */
const MAX_DAY = 2_958_465;

/** Numbers of the formats of dates and times that need no code. */
export const dateFormats = (): Set<string> =>
  new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47, ...between(27, 36), ...between(50, 58)].map(String));

const between = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** Whether a number format shows a date or a time: letters of dates outside of quotes, escapes and brackets. */
export function isDateFormat(code: string): boolean {
  const [first = ''] = code
    .replace(/"[^"]*"|\\.|_.|\*./g, '')
    .replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '')
    .split(';', 1);
  return /[dmyhs]/i.test(first) && !/general/i.test(first) && !/[0#?]/.test(first.replace(/[hms]\.?0+/gi, ''));
}

/** Writes the number of days as `2024-05-01`, `2024-05-01 12:30` or `12:30`. Null: it is no date. */
export function serialDate(serial: number, from1904: boolean): string | null {
  if (serial < 0 || serial > MAX_DAY) return null;
  const days = serial + (from1904 ? EPOCH_1904 : EPOCH_1900);
  // Fractions of a day are binary; dates of spreadsheets have whole seconds.
  const iso = new Date(Math.round(days * 86_400) * 1000).toISOString();
  const [date = '', time = ''] = iso.split('T');
  const clock = time.slice(6, 8) === '00' ? time.slice(0, 5) : time.slice(0, 8);
  if (serial < 1 && !from1904) return clock;
  return Math.round((days % 1) * DAY_MS) % DAY_MS === 0 ? date : `${date} ${clock}`;
}

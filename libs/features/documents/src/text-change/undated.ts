/** Languages whose names of days and months are known. */
const LANGUAGES = 'en de fr es it pt nl sv da nb fi pl cs ru uk tr el ro hu id vi ar hi he'.split(' ');

const DAYS = [1, 2, 3, 4, 5, 6, 7].map((day) => new Date(Date.UTC(2024, 0, day)));
const MONTHS = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2024, month, 1)));
const WORD = /[\p{L}\p{M}]+/gu;

/** Days of the week in scripts that put no space between words. */
const UNSPACED_DAYS = /(?:星期|[周週])[一二三四五六日天]|[月火水木金土日]曜日?|[월화수목금토일]요일/g;
/** A number with what belongs to it in dates and times: `10:30`, `2026-11-27`, `3rd`, `9am`. */
const NUMBER = /\p{N}[\p{N}.,:/-]*(?:st|nd|rd|th|am|pm)?(?!\p{L})|\p{N}+/giu;
const MASKS = /#(?:[\s.,:/-]*#)*/g;

let known: ReadonlySet<string> | null = null;

/** Returns a text in which all numbers, dates and names of days are the same. */
export function undated(text: string): string {
  known ??= namesOfDates();
  const names = known;
  return text
    .replace(UNSPACED_DAYS, '#')
    .replace(WORD, (word) => (names.has(word.toLowerCase()) ? '#' : word))
    .replace(NUMBER, '#')
    .replace(MASKS, '#');
}

/** Days of the week and months, also shortened, and the days around today. */
function namesOfDates(): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (written: string) => {
    for (const word of written.toLowerCase().match(WORD) ?? []) if (word.length > 1) names.add(word);
  };
  for (const language of LANGUAGES) {
    for (const width of ['long', 'short'] as const) {
      const weekday = new Intl.DateTimeFormat(language, { weekday: width, timeZone: 'UTC' });
      const month = new Intl.DateTimeFormat(language, { month: width, timeZone: 'UTC' });
      for (const day of DAYS) add(weekday.format(day));
      for (const day of MONTHS) add(month.format(day));
    }
    const near = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
    for (const days of [-1, 0, 1]) add(near.format(days, 'day'));
  }
  return names;
}

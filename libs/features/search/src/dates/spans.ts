import { DAY_MS, dayOfIso, partsOf, type Span, spanOf } from './calendar.ts';
import { namedDates } from './named-dates.ts';
import { type RelativeDate, readerOf } from './relative-dates.ts';

const relativeDates = readerOf('day', 'period', 'season', 'before', 'weekday');

/** Relative dates of one text that are read at the most. */
const MOST = 8;
const MONTHS_AHEAD = 92;

/**
 * Returns when an English text says that something happens: "yesterday", "last week", "two months ago", "in May", each
 * resolved for a text of this day.
 */
export function spansIn(text: string, day: number): Span[] {
  const spans = relativeDates(text, day)
    .slice(0, MOST)
    .map((date) => about(date, day));
  for (const date of namedDates(text)) {
    const { year } = partsOf(day);
    const span = spanOf(date, year);
    // A date without a year that would be months ahead was in the year before.
    spans.push(date.year === null && span.from > day + MONTHS_AHEAD ? spanOf(date, year - 1) : span);
  }
  return spans;
}

/**
 * As `spansIn`, for a text of a date.
 * @param date ISO 8601. Null, or without a date: not known
 * @param createdAt counts then; milliseconds since the epoch
 */
export const datesIn = (text: string, date: string | null, createdAt: number): readonly Span[] =>
  spansIn(text, (date === null ? null : dayOfIso(date)) ?? Math.floor(createdAt / DAY_MS));

/** "Two weeks ago" is seldom exactly fourteen days. */
function about({ count, unit, span }: RelativeDate, day: number): Span {
  if (count === null || !unit.startsWith('week')) return span;
  return { from: day - 7 * count - 3, to: day - 7 * count + 3 };
}

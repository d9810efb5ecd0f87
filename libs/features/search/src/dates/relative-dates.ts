import {
  calendarSpan,
  DAY_MS,
  dayNumber,
  dayOfIso,
  monthSpan,
  partsOf,
  type Span,
  spanOf,
  weekdayOf,
  yearSpan,
} from './calendar.ts';
import { namedDates } from './named-dates.ts';
import { WEEKDAYS as NAMES } from './names.ts';

const WEEKDAYS = NAMES.map((name) => name.toLowerCase());
const NUMBERS: Readonly<Record<string, number>> = {
  ...{ a: 1, an: 1, one: 1, two: 2, 'a couple of': 2, 'couple of': 2, three: 3, 'a few': 3, few: 3, several: 4 },
  ...{ four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10 },
};
const COUNT = `(${Object.keys(NUMBERS)
  .toSorted((a, b) => b.length - a.length)
  .join('|')}|\\d{1,2})`;

const RELATIVE = new RegExp(
  [
    '\\b(day before yesterday|yesterday|last night|today|tonight|this (?:morning|afternoon|evening)|tomorrow)\\b',
    `\\b(last|past|this|next|coming) (week|weekend|month|year|spring|summer|autumn|fall|winter|${WEEKDAYS.join('|')})\\b`,
    `\\b${COUNT} (day|week|weekend|month|year)s? (?:ago|back|earlier)\\b`,
    `\\bon (${WEEKDAYS.join('|')})\\b`,
  ].join('|'),
  'gi',
);

/** First months of the seasons of the northern half. */
const SEASONS: Readonly<Record<string, number>> = { spring: 3, summer: 6, autumn: 9, fall: 9, winter: 12 };

/** Expressions of one text that are read at the most. */
const MOST = 8;

/**
 * Returns when an English text says that something happens: "yesterday", "last week", "two months ago", "in May", each
 * resolved for a text of this day.
 */
export function spansIn(text: string, day: number): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(RELATIVE)) {
    spans.push(resolved(match, day));
    if (spans.length === MOST) break;
  }
  for (const date of namedDates(text)) {
    const { year } = partsOf(day);
    const span = spanOf(date, year);
    // A date without a year that would be months ahead was in the year before.
    spans.push(date.year === null && span.from > day + MONTHS_AHEAD ? spanOf(date, year - 1) : span);
  }
  return spans;
}

const MONTHS_AHEAD = 92;

/**
 * As `spansIn`, for a text of a date.
 * @param date ISO 8601. Null, or without a date: not known
 * @param createdAt counts then; milliseconds since the epoch
 */
export const datesIn = (text: string, date: string | null, createdAt: number): readonly Span[] =>
  spansIn(text, (date === null ? null : dayOfIso(date)) ?? Math.floor(createdAt / DAY_MS));

function resolved([, near, which, period, count, unit, weekday]: RegExpMatchArray, day: number): Span {
  if (near !== undefined) return single(day + (DAYS_OFF[near.toLowerCase()] ?? 0));
  if (which !== undefined) return periodSpan(which.toLowerCase(), (period as string).toLowerCase(), day);
  if (weekday !== undefined) return single(weekdayBefore(weekday.toLowerCase(), day));
  return ago(countOf(count as string), (unit as string).toLowerCase(), day);
}

const DAYS_OFF: Readonly<Record<string, number>> = {
  ...{ 'day before yesterday': -2, yesterday: -1, 'last night': -1, tomorrow: 1 },
};

const single = (day: number): Span => ({ from: day, to: day });

function countOf(text: string): number {
  return NUMBERS[text.toLowerCase()] ?? Number(text);
}

function periodSpan(which: string, period: string, day: number): Span {
  const step = which === 'this' ? 0 : which === 'next' || which === 'coming' ? 1 : -1;
  const span = calendarSpan(period, day, step);
  if (span !== null) return span;
  const season = SEASONS[period];
  if (season !== undefined) return seasonSpan(season, step, day);
  if (step === -1) return single(weekdayBefore(period, day));
  const ahead = (WEEKDAYS.indexOf(period) - weekdayOf(day) + 7) % 7;
  return single(day + (ahead === 0 && step === 1 ? 7 : ahead));
}

function seasonSpan(first: number, step: number, day: number): Span {
  const { year } = partsOf(day);
  const of = (which: number): Span => ({ from: dayNumber(which, first, 1), to: dayNumber(which, first + 3, 1) - 1 });
  if (step === 0) return of(year);
  if (step === 1) return of(year).from > day ? of(year) : of(year + 1);
  return of(year).to < day ? of(year) : of(year - 1);
}

/** The last such day before this one. */
function weekdayBefore(weekday: string, day: number): number {
  const back = (weekdayOf(day) - WEEKDAYS.indexOf(weekday) + 7) % 7;
  return day - (back === 0 ? 7 : back);
}

/** "Two weeks ago" is seldom exactly fourteen days. */
function ago(count: number, unit: string, day: number): Span {
  if (unit === 'day') return single(day - count);
  if (unit === 'month') return monthSpan(day, -count);
  if (unit === 'year') return yearSpan(partsOf(day).year - count);
  return { from: day - 7 * count - 3, to: day - 7 * count + 3 };
}

import { dayNumber, monthSpan, partsOf, type Span, weekdayOf, yearSpan } from './calendar.ts';
import { WEEKDAYS as NAMES } from './names.ts';

const WEEKDAYS = NAMES.map((name) => name.toLowerCase());
const WEEKDAY = WEEKDAYS.join('|');

/** First months of the seasons of the northern half. */
const SEASONS: Readonly<Record<string, number>> = { spring: 3, summer: 6, autumn: 9, fall: 9, winter: 12 };

const DAYS_OFF: Readonly<Record<string, number>> = {
  ...{ 'day before yesterday': -2, yesterday: -1, 'last night': -1, today: 0, tonight: 0, 'this morning': 0 },
  ...{ 'this afternoon': 0, 'this evening': 0, tomorrow: 1, 'day after tomorrow': 2 },
};
const STEPS: Readonly<Record<string, number>> = { last: -1, past: -1, previous: -1, this: 0, next: 1, coming: 1 };
const NUMBERS: Readonly<Record<string, number>> = {
  ...{ a: 1, an: 1, one: 1, two: 2, 'a couple of': 2, 'couple of': 2, three: 3, four: 4, five: 5, six: 6, seven: 7 },
  ...{ eight: 8, nine: 9, ten: 10, eleven: 11, twelve: 12 },
};
const GUESSES: Readonly<Record<string, number>> = { 'a few': 3, few: 3, several: 4 };

const anyOf = (words: Readonly<Record<string, number>>): string => Object.keys(words).join('|');

const STEP = `(?:the )?(?<step>${anyOf(STEPS)})`;
const UNIT = '(?<unit>day|week|weekend|month|year)';
const COUNTED = `(?<count>${anyOf(NUMBERS)}|\\d{1,3}) ${UNIT}`;
const COUNTED_OR_GUESSED = `(?<count>${anyOf({ ...NUMBERS, ...GUESSES })}|\\d{1,3}) ${UNIT}`;

const FORMS = {
  /** "yesterday" */
  day: `(?:the )?(?<near>${anyOf(DAYS_OFF)})`,
  /** "last week", "next Friday" */
  period: `${STEP} (?<unit>week|weekend|month|year|${WEEKDAY})`,
  /** "last summer" */
  season: `${STEP} (?<unit>${anyOf(SEASONS)})`,
  /** "two weeks ago" */
  ago: `${COUNTED}s? ago`,
  /** "two weeks ago", "a few weeks earlier" */
  before: `${COUNTED_OR_GUESSED}s? (?:ago|back|earlier)`,
  /** "the last three weeks" */
  until: `(?:the )?(?<until>last|past|previous) ${COUNTED_OR_GUESSED}s`,
  /** "on Friday" */
  weekday: `on (?<unit>${WEEKDAY})`,
};

/** A relative date in an English text. */
export interface RelativeDate {
  readonly phrase: string;
  /** Where the phrase begins. */
  readonly at: number;
  /** How many units ago. Null: the text names no number. */
  readonly count: number | null;
  readonly unit: string;
  readonly span: Span;
}

/** Returns a function that finds the relative dates of these forms in a text and resolves them for a day. */
export function readerOf(...forms: readonly (keyof typeof FORMS)[]): (text: string, day: number) => RelativeDate[] {
  const pattern = new RegExp(`\\b(?:${forms.map((form) => FORMS[form]).join('|')})\\b`, 'gi');
  return (text, day) => Array.from(text.matchAll(pattern), (match) => resolved(match, day));
}

function resolved({ 0: phrase, index, groups = {} }: RegExpExecArray, day: number): RelativeDate {
  const lower = (group: string): string | undefined => groups[group]?.toLowerCase();
  const [near, number, unit = 'day'] = [lower('near'), lower('count'), lower('unit')];
  const count = number === undefined ? null : (NUMBERS[number] ?? GUESSES[number] ?? Number(number));
  const step = near === undefined ? STEPS[lower('step') ?? 'last'] : DAYS_OFF[near];
  const span = spanAfter(day, count === null ? (step ?? 0) : -count, unit);
  return { phrase, at: index, count, unit, span: lower('until') === undefined ? span : { from: span.from, to: day } };
}

/** The day, week, weekday and so on that is so many of them after that of a day. Weeks begin on Monday. */
function spanAfter(day: number, count: number, unit: string): Span {
  const monday = day - ((weekdayOf(day) + 6) % 7) + 7 * count;
  if (unit === 'day') return single(day + count);
  if (unit === 'week') return { from: monday, to: monday + 6 };
  if (unit === 'weekend') return { from: monday + 5, to: monday + 6 };
  if (unit === 'month') return monthSpan(day, count);
  if (unit === 'year') return yearSpan(partsOf(day).year + count);
  const season = SEASONS[unit];
  if (season !== undefined) return seasonSpan(season, count, day);
  const ahead = (WEEKDAYS.indexOf(unit) - weekdayOf(day) + 7) % 7;
  if (count === 0) return single(day + ahead);
  return single(day + (count > 0 ? ahead || 7 : ahead - 7));
}

const single = (day: number): Span => ({ from: day, to: day });

function seasonSpan(first: number, step: number, day: number): Span {
  const { year } = partsOf(day);
  const of = (which: number): Span => ({ from: dayNumber(which, first, 1), to: dayNumber(which, first + 3, 1) - 1 });
  if (step === 0) return of(year);
  if (step === 1) return of(year).from > day ? of(year) : of(year + 1);
  return of(year).to < day ? of(year) : of(year - 1);
}

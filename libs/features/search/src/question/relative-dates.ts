import { calendarSpan, DAY_MS, monthSpan, partsOf, type Span, weekdayOf, yearSpan } from '../dates/calendar.ts';
import { MONTHS, WEEKDAYS as NAMES } from '../dates/names.ts';

/** Whole days, milliseconds since the epoch: the first one and the last one. UTC. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

export interface ResolvedDates {
  /** The question with dates in the place of relative ones. */
  readonly text: string;
  /** What the relative dates cover together. */
  readonly period: Period;
}

/** Days that are written one by one; a longer period is written as its months. */
const MOST_DAYS = 7;
/** From this length on, a period is written as its years. */
const MANY_DAYS = 360;
const MOST_YEARS = 10;

const WEEKDAYS = NAMES.map((name) => name.toLowerCase());
const NUMBERS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];
const NUMBER = `an?|${NUMBERS.slice(1).join('|')}|a couple of|\\d{1,3}`;

const RELATIVE = new RegExp(
  [
    '(?<far>the day before yesterday|the day after tomorrow)',
    '(?<near>yesterday|today|tonight|tomorrow|this (?:morning|afternoon|evening)|last night)',
    `(?:the )?(?<which>last|past|previous|this|next|coming) (?<unit>week|weekend|month|year|${WEEKDAYS.join('|')})`,
    `(?<ago>${NUMBER}) (?<agoUnit>day|week|month|year)s? ago`,
    `(?:the )?(?:last|past|previous) (?<span>\\d{1,3}|${NUMBERS.slice(2).join('|')}|couple of|few) (?<spanUnit>day|week|month|year)s`,
  ]
    .map((one) => `(?:${one})`)
    .join('|'),
  'gi',
);
const BOUNDED = new RegExp(`\\b(?:${RELATIVE.source})\\b`, 'gi');

/**
 * Resolves the relative dates of an English question, as "last week", against the time of the request, in UTC. Documents are
 * indexed with their dates in words.
 * @param now milliseconds since the epoch
 * @returns null: it has none
 */
export function resolveDates(question: string, now: number): ResolvedDates | null {
  const today = Math.floor(now / DAY_MS);
  const spans: Span[] = [];
  const text = question.replace(BOUNDED, (phrase, ...rest) => {
    const span = spanOf(rest.at(-1) as Groups, today);
    if (span === null) return phrase;
    spans.push(span);
    return inWords(span);
  });
  if (spans.length === 0) return null;
  const from = Math.min(...spans.map((one) => one.from));
  const to = Math.max(...spans.map((one) => one.to));
  return { text, period: { from: from * DAY_MS, to: to * DAY_MS } };
}

type Groups = Readonly<
  Partial<Record<'far' | 'near' | 'which' | 'unit' | 'ago' | 'agoUnit' | 'span' | 'spanUnit', string>>
>;

function spanOf({ far, near, which, unit, ago, agoUnit, span, spanUnit }: Groups, today: number): Span | null {
  if (far !== undefined) return single(today + (/before/i.test(far) ? -2 : 2));
  if (near !== undefined) return single(today + (/yesterday|last/i.test(near) ? -1 : /tomorrow/i.test(near) ? 1 : 0));
  if (which !== undefined && unit !== undefined) return named(today, stepOf(which), unit.toLowerCase());
  if (ago !== undefined && agoUnit !== undefined) return before(today, numberOf(ago), agoUnit.toLowerCase());
  if (span !== undefined && spanUnit !== undefined) {
    return { from: before(today, numberOf(span), spanUnit.toLowerCase()).from, to: today };
  }
  return null;
}

const stepOf = (which: string): number => (/this/i.test(which) ? 0 : /next|coming/i.test(which) ? 1 : -1);

function numberOf(words: string): number {
  const text = words.toLowerCase();
  if (/^\d/.test(text)) return Number(text);
  if (text.endsWith('couple of')) return 2;
  if (text === 'few') return 3;
  return text === 'a' || text === 'an' ? 1 : NUMBERS.indexOf(text);
}

const single = (day: number): Span => ({ from: day, to: day });

/** The last, this or next one. */
function named(today: number, step: number, unit: string): Span {
  const span = calendarSpan(unit, today, step);
  if (span !== null) return span;
  const ahead = (WEEKDAYS.indexOf(unit) - weekdayOf(today) + 7) % 7;
  if (step === 0) return single(today + ahead);
  return single(today + (step > 0 ? ahead || 7 : ahead - 7));
}

function before(today: number, count: number, unit: string): Span {
  if (unit === 'day') return single(today - count);
  if (unit === 'week') return named(today, -count, 'week');
  return unit === 'month' ? monthSpan(today, -count) : yearSpan(partsOf(today).year - count);
}

/** "22 November 2026"; of several days, their numbers and months; of longer periods, months, or the last of the years. */
function inWords({ from, to }: Span): string {
  const { year: first } = partsOf(from);
  const { year: last } = partsOf(to);
  if (to - from >= MANY_DAYS) {
    return numbersOf(Math.max(first, last - MOST_YEARS + 1), last).join(', ');
  }
  const days = numbersOf(from, to).map(partsOf);
  const months = new Set(days.map(({ month, year }) => `${MONTHS[month - 1]} ${year}`));
  const written = [...months].join(', ');
  return days.length <= MOST_DAYS ? `${days.map(({ day }) => day).join(', ')} ${written}` : written;
}

const numbersOf = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

import { DAY_MS, partsOf, type Span } from '../dates/calendar.ts';
import { MONTHS } from '../dates/names.ts';
import { readerOf } from '../dates/relative-dates.ts';

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

/** "A few years ago" names no certain period, so a question is not read for it. */
const relativeDates = readerOf('day', 'period', 'ago', 'until');

/**
 * Resolves the relative dates of an English question, as "last week", against the time of the request, in UTC. Documents are
 * indexed with their dates in words.
 * @param now milliseconds since the epoch
 * @returns null: it has none
 */
export function resolveDates(question: string, now: number): ResolvedDates | null {
  const dates = relativeDates(question, Math.floor(now / DAY_MS));
  if (dates.length === 0) return null;
  let text = '';
  let end = 0;
  for (const { phrase, at, span } of dates) {
    text += question.slice(end, at) + inWords(span);
    end = at + phrase.length;
  }
  const from = Math.min(...dates.map(({ span }) => span.from));
  const to = Math.max(...dates.map(({ span }) => span.to));
  return { text: text + question.slice(end), period: { from: from * DAY_MS, to: to * DAY_MS } };
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

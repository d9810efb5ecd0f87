export const DAY_MS = 86_400_000;

/** Whole days; both ends belong to it. Days are counted from 1 January 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What a text says of a date: a day of a month, a month, a year, or a part of these. Months are 1 to 12. */
export interface PartialDate {
  readonly year: number | null;
  readonly month: number | null;
  readonly day: number | null;
}

export function dayNumber(year: number, month: number, day: number): number {
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  return Math.floor(new Date(0).setUTCFullYear(year, month - 1, day) / DAY_MS);
}

/** Returns the day that an ISO 8601 date or time begins with, whatever its time zone. Null: the text has no such date. */
export function dayOfIso(iso: string): number | null {
  const match = /^\s*(\d{4})-(\d\d)-(\d\d)(?!\d)/.exec(iso);
  const day = match === null ? Number.NaN : dayNumber(Number(match[1]), Number(match[2]), Number(match[3]));
  return Number.isNaN(day) ? null : day;
}

export function partsOf(day: number): { readonly year: number; readonly month: number; readonly day: number } {
  const date = new Date(day * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** 0: Sunday. */
export const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7;

/** The month that is this many months after the month of a day. */
export function monthSpan(day: number, after: number): Span {
  const { year, month } = partsOf(day);
  return { from: dayNumber(year, month + after, 1), to: dayNumber(year, month + after + 1, 1) - 1 };
}

export const yearSpan = (year: number): Span => ({ from: dayNumber(year, 1, 1), to: dayNumber(year + 1, 1, 1) - 1 });

/** @param year of a date that names none */
export function spanOf(date: PartialDate, year: number): Span {
  const known = date.year ?? year;
  if (date.month === null) return yearSpan(known);
  if (date.day === null) return monthSpan(dayNumber(known, date.month, 1), 0);
  const day = dayNumber(known, date.month, date.day);
  return { from: day, to: day };
}

export function matchesDay(date: PartialDate, day: number): boolean {
  const parts = partsOf(day);
  return (
    (date.year ?? parts.year) === parts.year &&
    (date.month ?? parts.month) === parts.month &&
    (date.day ?? parts.day) === parts.day
  );
}

/** Returns which share of a span a date covers, in the best of the years that the span touches; 0…1. */
export function shareWithin(span: Span, date: PartialDate): number {
  let best = 0;
  for (let year = partsOf(span.from).year; year <= partsOf(span.to).year; year++) {
    const asked = spanOf(date, year);
    const common = Math.min(span.to, asked.to) - Math.max(span.from, asked.from) + 1;
    best = Math.max(best, common / (span.to - span.from + 1));
  }
  return best;
}

import type { PartialDate } from './calendar.ts';
import { MONTHS } from './names.ts';

const MONTH =
  '(Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\\.?';
const DAY = '(0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th)?';
const YEAR = '((?:19|20)\\d\\d)';

/**
 * English dates, the longest first. A month needs its capital letter, and without a number a word before it: "may" and
 * "march" are also verbs.
 */
const DATES = new RegExp(
  [
    `\\b${YEAR}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])\\b`,
    `\\b${DAY}(?:\\s+of)?\\s+${MONTH},?(?:\\s+${YEAR})?\\b`,
    `\\b${MONTH}\\s+${DAY}(?!\\d)(?:,?\\s+${YEAR})?\\b`,
    `\\b${MONTH},?\\s+(?:of\\s+)?${YEAR}\\b`,
    `(?<=\\b(?:in|of|by|since|until|during|before|after|early|late|mid|last|this|next)[\\s-]{1,3})${MONTH}(?!\\w)`,
    `\\b${YEAR}\\b`,
  ].join('|'),
  'g',
);

/** Dates of one text that are read at the most. */
const MOST = 8;

/** Returns the dates that an English text names: `8 May 2023`, `May 8th`, `in June`, `2022-07-01`, `2022`. */
export function namedDates(text: string): PartialDate[] {
  if (!/\d|[A-Z][a-z]{2}/.test(text)) return [];
  const found: PartialDate[] = [];
  for (const match of text.matchAll(DATES)) {
    found.push(dateOf(match));
    if (found.length === MOST) break;
  }
  return found;
}

function dateOf(match: RegExpMatchArray): PartialDate {
  const [, y1, m1, d1, d2, m2, y2, m3, d3, y3, m4, y4, m5, y5] = match;
  const year = y1 ?? y2 ?? y3 ?? y4 ?? y5;
  const named = m2 ?? m3 ?? m4 ?? m5;
  const month = m1 === undefined ? (named === undefined ? null : monthOf(named)) : Number(m1);
  const day = d1 ?? d2 ?? d3;
  return { year: year === undefined ? null : Number(year), month, day: day === undefined ? null : Number(day) };
}

const monthOf = (name: string): number => MONTHS.findIndex((month) => month.startsWith(name.slice(0, 3))) + 1;

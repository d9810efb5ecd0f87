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

const DAY_MS = 86_400_000;
/** Days that are written one by one; a longer period is written as its months. */
const MOST_DAYS = 7;
const MOST_MONTHS = 12;

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November'],
  'December',
];
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
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
  const today = now - (((now % DAY_MS) + DAY_MS) % DAY_MS);
  const periods: Period[] = [];
  const text = question.replace(BOUNDED, (phrase, ...rest) => {
    const period = periodOf(rest.at(-1) as Groups, today);
    if (period === null) return phrase;
    periods.push(period);
    return inWords(period);
  });
  if (periods.length === 0) return null;
  return {
    text,
    period: { from: Math.min(...periods.map(({ from }) => from)), to: Math.max(...periods.map(({ to }) => to)) },
  };
}

type Groups = Readonly<
  Partial<Record<'far' | 'near' | 'which' | 'unit' | 'ago' | 'agoUnit' | 'span' | 'spanUnit', string>>
>;

function periodOf({ far, near, which, unit, ago, agoUnit, span, spanUnit }: Groups, today: number): Period | null {
  if (far !== undefined) return days(today, /before/i.test(far) ? -2 : 2);
  if (near !== undefined) return days(today, /yesterday|last/i.test(near) ? -1 : /tomorrow/i.test(near) ? 1 : 0);
  if (which !== undefined && unit !== undefined) return named(today, stepOf(which), unit.toLowerCase());
  if (ago !== undefined && agoUnit !== undefined) return before(today, numberOf(ago), agoUnit.toLowerCase());
  if (span !== undefined && spanUnit !== undefined) {
    const first = before(today, numberOf(span), spanUnit.toLowerCase());
    return first && { from: first.from, to: today };
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

const days = (today: number, step: number, count = 1): Period => ({
  from: today + step * DAY_MS,
  to: today + (step + count - 1) * DAY_MS,
});

/** The last, this or next one. Weeks begin on Monday. */
function named(today: number, step: number, unit: string): Period {
  const sinceMonday = (new Date(today).getUTCDay() + 6) % 7;
  if (unit === 'week') return days(today, step * 7 - sinceMonday, 7);
  if (unit === 'weekend') return days(today, step * 7 - sinceMonday + 5, 2);
  if (unit === 'month') return month(today, step);
  if (unit === 'year') return year(today, step);
  const ahead = (WEEKDAYS.indexOf(unit) - new Date(today).getUTCDay() + 7) % 7;
  if (step === 0) return days(today, ahead);
  return days(today, step > 0 ? ahead || 7 : ahead - 7);
}

function before(today: number, count: number, unit: string): Period | null {
  if (unit === 'day') return days(today, -count);
  if (unit === 'week') return named(today - count * 7 * DAY_MS, 0, 'week');
  return unit === 'month' ? month(today, -count) : year(today, -count);
}

function month(today: number, step: number): Period {
  const date = new Date(today);
  const first = (add: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + step + add, 1);
  return { from: first(0), to: first(1) - DAY_MS };
}

function year(today: number, step: number): Period {
  const first = (add: number) => Date.UTC(new Date(today).getUTCFullYear() + step + add, 0, 1);
  return { from: first(0), to: first(1) - DAY_MS };
}

/** "22 November 2026"; of several days, their numbers and months; of longer periods, months or the year. */
function inWords({ from, to }: Period): string {
  const first = new Date(from);
  const last = new Date(to);
  const isWholeYear = to - from >= 360 * DAY_MS && first.getUTCFullYear() === last.getUTCFullYear();
  if (isWholeYear) return String(first.getUTCFullYear());
  const numbers: number[] = [];
  const months: string[] = [];
  for (let day = from; day <= to && months.length <= MOST_MONTHS; day += DAY_MS) {
    const date = new Date(day);
    numbers.push(date.getUTCDate());
    const name = `${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
    if (months.at(-1) !== name) months.push(name);
  }
  const named = months.slice(0, MOST_MONTHS).join(', ');
  return numbers.length <= MOST_DAYS ? `${numbers.join(', ')} ${named}` : named;
}

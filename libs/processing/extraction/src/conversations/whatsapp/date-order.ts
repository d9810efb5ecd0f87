import type { MessageHead } from './message-head.ts';

type Order = 'day-month' | 'month-day';

/**
 * Returns the days of heads in ISO 8601. A year of four digits may stand in front. Otherwise that order of day and month counts
 * with which all dates exist, and then with which fewer dates go back. If both are equal, the month is first if times have `AM`
 * or `PM` and dates slashes, as in the United States.
 */
export function daysOf(heads: readonly MessageHead[]): readonly string[] | null {
  const [first] = heads;
  const isAmerican = first?.separator === '/' && heads.some(({ isCapitalPeriod }) => isCapitalPeriod);
  const orders: readonly Order[] = isAmerican ? ['month-day', 'day-month'] : ['day-month', 'month-day'];
  const [best] = orders
    .map((order) => heads.map(({ date }) => isoDay(date, order)))
    .filter((days): days is string[] => days.every((day) => day !== null))
    .map((days) => ({ days, back: days.filter((day, i) => day < (days[i - 1] ?? '')).length }))
    .sort((a, b) => a.back - b.back);
  return best?.days ?? null;
}

function isoDay([first, second, third]: MessageHead['date'], order: Order): string | null {
  const isYearFirst = first.length === 4 || Number(first) > 31;
  const [year, a, b] = isYearFirst ? [first, second, third] : [third, first, second];
  const [month, day] = isYearFirst || order === 'month-day' ? [a, b] : [b, a];
  if (year.length === 3 || year.length === 1 || month.length > 2 || day.length > 2) return null;
  const iso = `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(iso);
  // `Date` takes 31 February for 2 March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(iso) ? iso : null;
}

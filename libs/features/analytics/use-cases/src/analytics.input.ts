import { IsDateText, IsOneOf, IsOrdinal, invalid, type Page, pageOfList, ShownBy } from '#platform/input';
import { HOUR_MS, RETENTION_MS, type Span } from '#ports/analytics';

const PERIODS = { '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 7 * 24 * HOUR_MS, '30d': 30 * 24 * HOUR_MS };
const DEFAULT_PERIOD = '24h';

/** Which time figures are about. */
@ShownBy({ 'The last week': { period: '7d' } })
export class SpanInput {
  /** The beginning. Times are widened to whole hours. */
  @IsDateText()
  from?: string;

  /** The end. Default: now. */
  @IsDateText()
  to?: string;

  /** In place of `from`: this long before the end. Default: 24h. */
  @IsOneOf(Object.keys(PERIODS))
  period?: keyof typeof PERIODS;
}

/** Which time, and which page of the list in the answer. */
@ShownBy({ 'The last week': { period: '7d' } })
export class AnalyticsInput extends SpanInput {
  /** Entries on a page. A value above 100 counts as 100. */
  @IsOrdinal()
  limit: number | string = 20;

  /** Number of the page, from 1. */
  @IsOrdinal()
  page: number | string = 1;
}

const MAX_LIMIT = 100;

export const analyticsPage = (body: AnalyticsInput): Page => pageOfList(body, MAX_LIMIT);

/** @throws InputError for a time that ends before it begins, or is longer than what is kept */
export function spanOf({ from, to, period }: SpanInput, now: number): Span {
  if (from !== undefined && period !== undefined) throw invalid('period', 'period and from exclude each other');
  const end = to === undefined ? now : Date.parse(to);
  const begin = from === undefined ? end - PERIODS[period ?? DEFAULT_PERIOD] : Date.parse(from);
  if (begin >= end) throw invalid('from', 'from must be before to');
  if (end - begin > RETENTION_MS) throw invalid('from', 'from must be at most 90 days before to');
  return { from: Math.floor(begin / HOUR_MS) * HOUR_MS, to: Math.ceil(end / HOUR_MS) * HOUR_MS };
}

import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CONNECTIONS } from '#features/connections';
import { readScope } from '#platform/kernel';
import { ANALYTICS, type Analytics, type Period, type RequestType } from '#ports/analytics';
import { type DocumentListQuery, VIEWS_READER, type ViewsReader } from '#read-side/views';
import { tokensOf } from '../figures.ts';
import { type AnalyticsTotals, ReadTotals } from './read-totals.query.ts';

const SEARCHES: readonly RequestType[] = ['search', 'fast_search', 'search_v4'];

@QueryHandler(ReadTotals)
export class ReadTotalsHandler implements IQueryHandler<ReadTotals> {
  constructor(
    @Inject(ANALYTICS) private readonly analytics: Analytics,
    @Inject(VIEWS_READER) private readonly views: ViewsReader,
  ) {}

  async execute({ principal, span }: ReadTotals): Promise<AnalyticsTotals> {
    const { organization } = principal;
    const scope = readScope(principal);
    const sources = async (createdUntil: number | null) => {
      const page = { sort: 'createdAt', order: 'desc', offset: 0, limit: 1 } as const;
      const query: DocumentListQuery = { scope, filter: null, filepath: null, stages: null, createdUntil, ...page };
      return (await this.views.list({ ...query, holds: 'sources' })).total;
    };
    const connections = async (createdUntil: number | null) => {
      const within = { column: 'created_at', from: null, to: createdUntil };
      const page = { sort: null, order: 'asc', offset: 0, limit: 1 } as const;
      return (await this.views.rows({ model: CONNECTIONS, scope, equals: {}, within, ...page })).total;
    };
    const before = { from: span.from - (span.to - span.from), to: span.from };
    const [{ memories }, now, then, connected, connectedThen, present, past] = await Promise.all([
      this.views.totals(scope),
      sources(null),
      sources(span.from),
      connections(null),
      connections(span.from),
      this.analytics.periods(organization, span),
      this.analytics.periods(organization, before),
    ]);
    const searches = searchesIn(present);
    const { processed: tokens } = tokensOf(present);
    return {
      ...{ memories, connections: connected, searches, tokens },
      memoriesGrowth: growth(then, now),
      connectionsGrowth: growth(connectedThen, connected),
      searchesGrowth: growth(searchesIn(past), searches),
      tokensGrowth: growth(tokensOf(past).processed, tokens),
    };
  }
}

const searchesIn = (periods: readonly Period[]): number =>
  periods
    .flatMap(({ types }) => SEARCHES.flatMap((type) => Object.values(types[type] ?? {})))
    .reduce((sum, { count }) => sum + count, 0);

/** From nothing to anything counts as 100. */
function growth(before: number, after: number): number {
  if (before === 0) return after === 0 ? 0 : 100;
  return (100 * (after - before)) / before;
}

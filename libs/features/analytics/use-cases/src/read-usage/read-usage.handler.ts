import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { API_KEYS, type IssuedKeys } from '#features/access';
import { readScope } from '#platform/kernel';
import { ANALYTICS, type Analytics, type RequestType } from '#ports/analytics';
import { VIEWS_READER, type ViewsReader } from '#read-side/views';
import { joined, type Named, summaryOf, tokensOf } from '../figures.ts';
import { ReadUsage, type Usage } from './read-usage.query.ts';

@QueryHandler(ReadUsage)
export class ReadUsageHandler implements IQueryHandler<ReadUsage> {
  constructor(
    @Inject(ANALYTICS) private readonly analytics: Analytics,
    @Inject(API_KEYS) private readonly keys: IssuedKeys,
    @Inject(VIEWS_READER) private readonly views: ViewsReader,
  ) {}

  async execute({ principal, span, page }: ReadUsage): Promise<Usage> {
    const { organization } = principal;
    const [periods, { memories }] = await Promise.all([
      this.analytics.periods(organization, span),
      this.views.totals(readScope(principal)),
    ]);
    const types = joined(periods, (period) =>
      Object.entries(period.types).flatMap(([type, statuses]) =>
        Object.values(statuses).map((figures): Named => [type, figures]),
      ),
    );
    const hours = joined(periods, (period) => Object.entries(period.hours));
    const names = new Map(this.keys.of(organization).map(({ id, name }) => [id, name]));
    const keys = summed(joined(periods, (period) => Object.entries(period.keys)));
    const first = (page.page - 1) * page.limit;
    return {
      types: summed(types).map(([type, summary]) => ({ type: type as RequestType, ...summary })),
      hours: summed(hours)
        .map(([at, summary]) => ({ at: Number(at), ...summary }))
        .sort((a, b) => a.at - b.at),
      keys: keys
        .slice(first, first + page.limit)
        .map(([keyId, summary]) => ({ keyId, name: names.get(keyId) ?? null, ...summary })),
      totalKeys: keys.length,
      totalMemories: memories,
      tokens: tokensOf(periods),
    };
  }
}

const summed = (figures: ReturnType<typeof joined>) =>
  [...figures]
    .map(([name, one]) => [name, summaryOf(one)] as const)
    .sort(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1));

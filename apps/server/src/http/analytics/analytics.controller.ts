import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import {
  AnalyticsInput,
  analyticsPage,
  ListRequestsInput,
  listRequests,
  ReadErrors,
  ReadTotals,
  ReadUsage,
  SpanInput,
  spanOf,
} from '#features/analytics/use-cases';
import { type Principal, systemClock } from '#platform/kernel';
import { LimitedTo, Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import {
  AnalyticsTotalsAnswer,
  ErrorsAnswer,
  errorsAnswer,
  RequestLog,
  requestLog,
  totalsAnswer,
  UsageAnswer,
  usageAnswer,
} from './analytics.responses.ts';

const LIMIT = { name: 'analytics', requests: 100, seconds: 60 };

@Controller('v3/analytics')
@InSection('Analytics')
export class AnalyticsController {
  constructor(private readonly queries: QueryBus) {}

  @Get('usage')
  @Requires('full')
  @LimitedTo(LIMIT)
  @Documented({
    id: 'getUsage',
    summary: 'Read how much is requested',
    description: 'Counts and durations of requests by type, by hour and by key. `pagination` is that of `byKey`.',
    answer: UsageAnswer,
    refuses: [],
  })
  usage(@CurrentPrincipal() principal: Principal, @Query() query: AnalyticsInput) {
    const page = analyticsPage(query);
    return this.queries
      .execute(new ReadUsage(principal, spanOf(query, systemClock.now()), page))
      .then((usage) => usageAnswer(usage, page));
  }

  @Get('errors')
  @Requires('full')
  @LimitedTo(LIMIT)
  @Documented({
    id: 'getErrors',
    summary: 'Read which requests failed',
    description: 'Requests that were answered with 400 or more. `pagination` is that of `topErrors`.',
    answer: ErrorsAnswer,
    refuses: [],
  })
  errors(@CurrentPrincipal() principal: Principal, @Query() query: AnalyticsInput) {
    const page = analyticsPage(query);
    return this.queries
      .execute(new ReadErrors(principal, spanOf(query, systemClock.now()), page))
      .then((errors) => errorsAnswer(errors, page));
  }

  @Get('logs')
  @Requires('full')
  @LimitedTo(LIMIT)
  @Documented({
    id: 'listRequests',
    summary: 'List single requests',
    description: 'The newest first. Requests hold no content, no query, no customId and no URL.',
    answer: RequestLog,
    refuses: [],
  })
  logs(@CurrentPrincipal() principal: Principal, @Query() query: ListRequestsInput) {
    return this.queries
      .execute(listRequests(principal, query, systemClock.now()))
      .then((found) => requestLog(found, analyticsPage(query)));
  }

  @Get('memory')
  @Requires('full')
  @LimitedTo(LIMIT)
  @Documented({
    id: 'getAnalyticsTotals',
    summary: 'Read totals and their growth',
    description: 'Memories of the organization, its searches, and how both have grown.',
    answer: AnalyticsTotalsAnswer,
    refuses: [],
  })
  memory(@CurrentPrincipal() principal: Principal, @Query() query: SpanInput) {
    return this.queries.execute(new ReadTotals(principal, spanOf(query, systemClock.now()))).then(totalsAnswer);
  }
}

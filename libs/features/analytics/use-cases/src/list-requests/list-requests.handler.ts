import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ANALYTICS, type Analytics } from '#ports/analytics';
import { ListRequests, type RequestList } from './list-requests.query.ts';

@QueryHandler(ListRequests)
export class ListRequestsHandler implements IQueryHandler<ListRequests> {
  constructor(@Inject(ANALYTICS) private readonly analytics: Analytics) {}

  execute({ principal, filter, page: { page, limit } }: ListRequests): Promise<RequestList> {
    return this.analytics.requests(principal.organization, filter, { offset: (page - 1) * limit, limit });
  }
}

import { Query } from '@nestjs/cqrs';
import type { Page } from '#platform/input';
import type { Principal } from '#platform/kernel';
import type { LoggedRequest, RequestFilter } from '#ports/analytics';

export interface RequestList {
  readonly requests: readonly LoggedRequest[];
  readonly total: number;
}

/** Lists single requests of the organization, the newest first. */
export class ListRequests extends Query<RequestList> {
  constructor(
    readonly principal: Principal,
    readonly filter: RequestFilter,
    readonly page: Page,
  ) {
    super();
  }
}

import { IsOneOf, IsOrdinal, IsText, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { REQUEST_TYPES, type RequestFilter, type RequestType } from '#ports/analytics';
import { AnalyticsInput, analyticsPage, spanOf } from '../analytics.input.ts';
import { ListRequests } from './list-requests.query.ts';

/** Which requests. */
@ShownBy({ 'Searches that were refused': { type: 'search_v4', statusCode: 400 } })
export class ListRequestsInput extends AnalyticsInput {
  /** Only requests of this type. */
  @IsOneOf(REQUEST_TYPES)
  type?: RequestType;

  /** Only requests that were answered with this status. */
  @IsOrdinal()
  statusCode?: number | string;

  /** Only requests with this key, by its id. */
  @IsText({ min: 1, max: 255 })
  keyId?: string;
}

/** @throws InputError as `spanOf` */
export function listRequests(principal: Principal, query: ListRequestsInput, now: number): ListRequests {
  const { type, statusCode, keyId } = query;
  const filter: RequestFilter = {
    ...spanOf(query, now),
    ...(type !== undefined && { type }),
    ...(statusCode !== undefined && { status: Number(statusCode) }),
    ...(keyId !== undefined && { keyId }),
  };
  return new ListRequests(principal, filter, analyticsPage(query));
}

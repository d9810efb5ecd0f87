import { IsOneOf, IsOrdinal, pageOfList } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { ListItems } from './list-items.query.ts';

const MOST = 100;

/** Which items are listed. */
export class ListItemsInput {
  /** failed: those whose present content could not be read. Default: all. */
  @IsOneOf(['synced', 'failed'])
  status?: 'synced' | 'failed';

  /** Number of the page, from 1. */
  @IsOrdinal()
  page: number | string = 1;

  /** At most 100. */
  @IsOrdinal()
  limit: number | string = 30;
}

export const listItems = (principal: Principal, id: string, { status, ...page }: ListItemsInput): ListItems =>
  new ListItems(principal, id, status ?? null, pageOfList(page, MOST));

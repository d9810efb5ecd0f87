import { Query } from '@nestjs/cqrs';
import type { SyncedItem } from '#features/connections';
import type { Page } from '#platform/input';
import type { Principal, Result } from '#platform/kernel';

/**
 * `synced`: its document is there. `failed`: its present content could not be read. `deleted`: its document was deleted here, and
 * stays so until the content changes at the source.
 */
export type ItemStatus = 'synced' | 'failed' | 'deleted';

export interface ListedItem extends SyncedItem {
  readonly status: ItemStatus;
  /** When something has become of it last. Milliseconds since the epoch. */
  readonly at: number;
}

export interface ItemPage {
  readonly items: readonly ListedItem[];
  readonly total: number;
}

/** Lists the items of a connection, those of which something has become last first. */
export class ListItems extends Query<Result<ItemPage, 'connection_not_found'>> {
  constructor(
    readonly principal: Principal,
    readonly id: string,
    /** Null: all. */
    readonly status: 'synced' | 'failed' | null,
    readonly page: Page,
  ) {
    super();
  }
}

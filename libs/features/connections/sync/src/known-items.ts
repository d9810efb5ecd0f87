import { CONNECTION_ITEMS, type ConnectionName, ITEM_SLOTS, itemFrom, type SyncedItem } from '#features/connections';
import { systemScope } from '#platform/kernel';
import type { Position } from '#ports/event-store';
import { type RowQuery, untilShown, type ViewsProgress, type ViewsReader } from '#read-side/views';

/** Items that are looked up at once, and about as many that are read at once. */
export const AT_ONCE = 500;

/** What is known of the items of connections, as the views have it. */
export class KnownItems {
  readonly #reader: Pick<ViewsReader, 'rows'>;
  readonly #progress: ViewsProgress;

  constructor(reader: Pick<ViewsReader, 'rows'>, progress: ViewsProgress) {
    this.#reader = reader;
    this.#progress = progress;
  }

  /** Resolves when the views show everything up to a position. */
  reached(position: Position | null, signal: AbortSignal): Promise<void> {
    return untilShown(this.#progress, position, signal);
  }

  /** @param ids at most `AT_ONCE` */
  async find(connection: ConnectionName, ids: readonly string[]): Promise<ReadonlyMap<string, SyncedItem>> {
    if (ids.length === 0) return new Map();
    const { rows } = await this.#rows(connection, { oneOf: { column: 'item', values: ids }, limit: ids.length });
    return new Map(rows.map((row) => [row.id, row]));
  }

  async count(connection: ConnectionName): Promise<number> {
    return (await this.#rows(connection, { limit: 1 })).total;
  }

  /** All items, a part of them at a time. */
  async *all(connection: ConnectionName): AsyncGenerator<readonly SyncedItem[]> {
    const total = await this.count(connection);
    const parts = Math.max(1, Math.ceil(total / AT_ONCE));
    const from = (part: number) => Math.floor((part * ITEM_SLOTS) / parts);
    for (let part = 0; part < parts; part += 1) {
      const within = { column: 'slot', from: from(part), to: from(part + 1) - 1 };
      const items: SyncedItem[] = [];
      // Whole, because what is removed of it moves the places of the others.
      for (let left = 1; left > 0; ) {
        const found = await this.#rows(connection, { within, limit: AT_ONCE, offset: items.length });
        items.push(...found.rows);
        left = found.rows.length === 0 ? 0 : found.total - items.length;
      }
      yield items;
    }
  }

  async #rows(
    { organization, id: connection }: ConnectionName,
    query: Partial<RowQuery> & Pick<RowQuery, 'limit'>,
  ): Promise<{ readonly rows: readonly SyncedItem[]; readonly total: number }> {
    const { rows, total } = await this.#reader.rows({
      ...{ model: CONNECTION_ITEMS, scope: systemScope(organization), equals: { connection } },
      ...{ sort: null, order: 'asc', offset: 0 },
      ...query,
    });
    return { rows: rows.map(({ values }) => itemFrom(values)), total };
  }
}

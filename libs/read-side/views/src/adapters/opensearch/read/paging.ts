import type { Body, Connection, Hit } from '../connection.ts';

/** OpenSearch returns no hit beyond this offset; further rows are reached step by step. */
export const WINDOW = 10_000;

export interface Page {
  /** The sort clauses for an order; the last one has no ties. */
  sortBy(order: Order): readonly Body[];
  readonly order: Order;
  readonly offset: number;
  readonly limit: number;
  /** What is read of the source of each row. */
  readonly columns: readonly string[];
  /** Other fields that are read. */
  readonly fields?: Body;
}

type Order = 'asc' | 'desc';

interface RowPage<Source> {
  readonly rows: readonly Hit<Source>[];
  readonly total: number;
}

/** Returns the rows of a page, and how many there are in all. */
export async function page<Source>(
  connection: Connection,
  index: string,
  query: Body,
  asked: Page,
): Promise<RowPage<Source>> {
  const { offset, limit } = asked;
  if (offset + limit <= WINDOW) return ask<Source>(connection, index, query, { ...asked, from: offset, size: limit });
  const { total } = await ask<Source>(connection, index, query, { ...asked, from: 0, size: 0 });
  const end = Math.min(total, offset + limit);
  if (offset >= end) return { rows: [], total };
  const rows: Hit<Source>[] = [];
  let after = await cursorBefore(connection, index, query, asked, offset, total);
  while (rows.length < end - offset) {
    const size = Math.min(WINDOW, end - offset - rows.length);
    const { rows: next } = await ask<Source>(connection, index, query, { ...asked, after, from: 0, size });
    if (next.length === 0) break;
    rows.push(...next);
    after = next.at(-1)?.sort ?? null;
  }
  return { rows, total };
}

/** Sort values of the row before a page. Null: the page is the first. */
type Cursor = readonly (string | number)[] | null;

/** Walks to an offset from the nearer end of the list. */
async function cursorBefore(
  connection: Connection,
  index: string,
  query: Body,
  { sortBy, order }: Page,
  offset: number,
  total: number,
): Promise<Cursor> {
  const fromEnd = total - offset + 1;
  const backwards = fromEnd < offset;
  const step = { sortBy, order: backwards ? opposite(order) : order, columns: null };
  let after: Cursor = null;
  for (let left = backwards ? fromEnd : offset; left > 0; ) {
    const { rows }: RowPage<unknown> = await ask<unknown>(connection, index, query, {
      ...step,
      after,
      from: 0,
      size: Math.min(WINDOW, left),
    });
    if (rows.length === 0) break;
    after = rows.at(-1)?.sort ?? null;
    left -= rows.length;
  }
  return after;
}

const opposite = (order: Order): Order => (order === 'asc' ? 'desc' : 'asc');

interface Step {
  readonly sortBy: Page['sortBy'];
  readonly order: Order;
  readonly after?: Cursor;
  readonly from: number;
  readonly size: number;
  /** Null: only cursors are read. */
  readonly columns: readonly string[] | null;
  readonly fields?: Body;
}

async function ask<Source>(
  connection: Connection,
  index: string,
  query: Body,
  { sortBy, order, after = null, from, size, columns, fields }: Step,
): Promise<RowPage<Source>> {
  const body: Body = {
    query,
    from,
    size,
    _source: columns === null || columns.length === 0 ? false : [...columns],
    ...fields,
    sort: sortBy(order),
    track_total_hits: columns !== null,
    ...(after !== null && { search_after: after }),
  };
  const [answer] = await connection.search([{ index, body }]);
  const { hits = [], total } = answer?.hits ?? {};
  return { rows: hits as Hit<Source>[], total: total?.value ?? 0 };
}

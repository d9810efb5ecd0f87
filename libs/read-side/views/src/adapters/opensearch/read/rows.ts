import { ReadModelBuildingError } from '../../../errors.ts';
import type { RowQuery, RowValue, StreamRow } from '../../../rows.ts';
import { isInScope } from '../../../wanted.ts';
import type { Aliases } from '../aliases.ts';
import type { Body, Connection } from '../connection.ts';
import { getRows } from '../get-rows.ts';
import { columnField } from '../mappings.ts';
import { recordFrom, recordId } from '../model-record.ts';
import { NO_FLOOR, type StreamFloor, streamKey } from '../row-ids.ts';
import { columnTerm, inScope } from '../terms.ts';
import { readCheckpoint } from '../write/lease.ts';
import { page } from './paging.ts';

/** Reads the rows of read models. */
export class RowReader {
  readonly #connection: Connection;
  readonly #aliases: Aliases;
  /** Names of read models that have been built. */
  readonly #built = new Set<string>();

  constructor(connection: Connection, aliases: Aliases) {
    this.#connection = connection;
    this.#aliases = aliases;
  }

  /** @throws ReadModelBuildingError */
  async rows(query: RowQuery): Promise<{ readonly rows: readonly StreamRow[]; readonly total: number }> {
    await this.#requireBuilt(query.model);
    const index = this.#aliases.ofModel(query.model);
    const { rows, total } = await page<{ readonly row: string }>(this.#connection, index, conditions(query), {
      sortBy: (order) => [
        ...(query.sort === null
          ? []
          : [{ [columnField(query.sort)]: { order, missing: order === 'asc' ? '_first' : '_last' } }]),
        ...[{ stream: order }, { revision: order }, { place: order }],
      ],
      ...{ order: query.order, offset: query.offset, limit: query.limit, columns: ['row'] },
    });
    const found = rows.map(({ _source }) => JSON.parse(_source.row) as StreamRow);
    const floors = await this.#floors(index, found);
    const counts = ({ stream, revision }: StreamRow) => revision >= (floors.get(streamKey(stream)) ?? NO_FLOOR).floor;
    return { rows: found.filter((row) => counts(row) && isInScope(query.scope, row)), total };
  }

  async #requireBuilt(model: string): Promise<void> {
    if (this.#built.has(model)) return;
    const record = await readCheckpoint(this.#connection, this.#aliases.of('meta'), recordId(model));
    if (record === null || recordFrom(record).building !== null) throw new ReadModelBuildingError(model);
    this.#built.add(model);
  }

  /** A writer that another one has fenced may write rows of before the floor of their stream. */
  async #floors(index: string, rows: readonly StreamRow[]): Promise<ReadonlyMap<string, StreamFloor>> {
    const keys = [...new Set(rows.map(({ stream }) => streamKey(stream)))];
    const docs = keys.map((key) => ({ _id: key, routing: key, _source: ['floor'] }));
    const found = await getRows<StreamFloor>(this.#connection, index, docs);
    return new Map(found.map(({ _id, _source }) => [_id, _source as StreamFloor]));
  }
}

function conditions({ scope, equals, oneOf, within }: RowQuery): Body {
  const own = Object.entries(equals).filter((each): each is [string, Exclude<RowValue, null>] => each[1] !== null);
  const absent = Object.keys(equals).filter((column) => equals[column] === null);
  return {
    bool: {
      filter: [
        ...inScope(scope),
        { exists: { field: 'place' } },
        ...own.map(([column, value]) => ({ term: { [columnField(column)]: columnTerm(column, value) } })),
        ...(oneOf
          ? [{ terms: { [columnField(oneOf.column)]: oneOf.values.map((one) => columnTerm(oneOf.column, one)) } }]
          : []),
        ...(within ? [{ range: { [columnField(within.column)]: { gte: within.from, lte: within.to } } }] : []),
      ],
      must_not: absent.map((column) => ({ exists: { field: columnField(column) } })),
    },
  };
}

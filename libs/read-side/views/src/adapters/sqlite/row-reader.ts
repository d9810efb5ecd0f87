import type { DatabaseSync } from 'node:sqlite';
import type { OrganizationId } from '#platform/kernel';
import { ReadModelBuildingError } from '../../errors.ts';
import type { LeftOutRows, RowQuery, RowValue, StreamRow } from '../../rows.ts';
import { fromColumn, toColumn } from '../../text.ts';
import { isInScope } from '../../wanted.ts';
import { allOf, type Sql } from './filters.ts';
import { quoted, rowTableName } from './read-models.ts';
import { columnValue } from './row-writer.ts';
import { inOrganization } from './scope.ts';

type Columns = Readonly<Record<string, RowValue>> & {
  readonly stream: string;
  readonly revision: number;
  readonly place: number;
  readonly organization: string;
  readonly tags: string;
};

const MOST_LEFT_OUT = 1_000;

/** Reads the rows of read models. */
export class RowReader {
  readonly #db: DatabaseSync;
  readonly #columns = new Map<string, ReadonlySet<string>>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  rows(query: RowQuery): { readonly rows: readonly StreamRow[]; readonly total: number } {
    const table = this.#table(query);
    const where = allOf([
      inOrganization(query.scope),
      ...inTags(query),
      ...Object.entries(query.equals).map(equals),
      ...oneOf(query),
      ...within(query),
    ]);
    const counted = this.#db.prepare(`SELECT count(*) AS total FROM ${table} WHERE ${where.sql}`).get(...where.params);
    const direction = query.order === 'asc' ? 'ASC' : 'DESC';
    const order = [...(query.sort === null ? [] : [quoted(query.sort)]), 'stream', 'revision', 'place'];
    const statement = this.#db.prepare(
      `SELECT * FROM ${table} WHERE ${where.sql} ORDER BY ${order.map((by) => `${by} ${direction}`).join(', ')}
        LIMIT ? OFFSET ?`,
    );
    const found = statement.all(...where.params, query.limit, query.offset) as unknown as Columns[];
    const rows = found.map(rowFrom).filter((row) => isInScope(query.scope, row));
    return { rows, total: (counted as { total: number }).total };
  }

  leftOut(): readonly LeftOutRows[] {
    const found = this.#db.prepare('SELECT model, stream, reason FROM left_out_rows LIMIT ?').all(MOST_LEFT_OUT);
    return (found as unknown as LeftOutRows[]).map((row) => ({ ...row, stream: fromColumn(row.stream) }));
  }

  /** @throws ReadModelBuildingError; RangeError for a column that does not exist */
  #table({ model, equals, sort, oneOf: among, within: range }: RowQuery): string {
    const record = this.#db.prepare('SELECT until FROM read_models WHERE name = ?').get(model) as
      | { until: string | null }
      | undefined;
    const columns = record && this.#columnsOf(rowTableName(model));
    if (!columns?.has('stream')) throw new ReadModelBuildingError(model);
    const named = [...Object.keys(equals), ...[sort, among?.column, range?.column].filter((name) => name != null)];
    const unknown = named.find((name) => !columns.has(name));
    if (unknown !== undefined) throw new RangeError(`read model ${model} has no column '${unknown}'`);
    if (record?.until !== null) throw new ReadModelBuildingError(model);
    return rowTableName(model);
  }

  #columnsOf(table: string): ReadonlySet<string> {
    let columns = this.#columns.get(table);
    if (columns === undefined) {
      const found = this.#db.prepare('SELECT name FROM pragma_table_info(?)').all(table) as unknown as {
        name: string;
      }[];
      columns = new Set(found.map(({ name }) => name));
      this.#columns.set(table, columns);
    }
    return columns;
  }
}

function inTags({ scope: { tags } }: RowQuery): Sql[] {
  if (tags === 'all') return [];
  const wanted = JSON.stringify(tags.map(toColumn));
  const sql = 'EXISTS (SELECT 1 FROM json_each(tags) WHERE value IN (SELECT value FROM json_each(?)))';
  return [{ sql, params: [wanted] }];
}

const equals = ([column, value]: [string, RowValue]): Sql =>
  value === null
    ? { sql: `${quoted(column)} IS NULL`, params: [] }
    : { sql: `${quoted(column)} = ?`, params: [columnValue(value)] };

function oneOf({ oneOf: among }: RowQuery): Sql[] {
  if (among === undefined) return [];
  const sql = `${quoted(among.column)} IN (SELECT value FROM json_each(?))`;
  return [{ sql, params: [JSON.stringify(among.values.map(toColumn))] }];
}

function within({ within: range }: RowQuery): Sql[] {
  if (range === undefined) return [];
  const column = quoted(range.column);
  const limits = [
    [`${column} >= ?`, range.from],
    [`${column} <= ?`, range.to],
  ] as const;
  return limits.flatMap(([sql, limit]) => (limit === null ? [] : [{ sql, params: [limit] }]));
}

function rowFrom({ stream, revision, place, organization, tags, ...values }: Columns): StreamRow {
  return {
    stream: fromColumn(stream),
    revision,
    organization: fromColumn(organization) as OrganizationId,
    tags: (JSON.parse(tags) as string[]).map(fromColumn),
    values: Object.fromEntries(
      Object.entries(values).map(([column, value]) => [column, typeof value === 'string' ? fromColumn(value) : value]),
    ),
  };
}

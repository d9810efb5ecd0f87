import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { UnitKind } from '../../documents.ts';
import { secondTable } from './second-tables.ts';

/** Number of the vector space of entries without vectors. */
export const NO_SPACE = 0;

export const entryTable = (kind: UnitKind): 'chunk_entries' | 'memory_entries' =>
  kind === 'chunk' ? 'chunk_entries' : 'memory_entries';

/** Statements that read entries: consecutive ones in a value, or each by itself. */
export interface EntryStatements {
  readonly slice: StatementSync;
  readonly rows: StatementSync;
  readonly one: StatementSync;
}

/** @param no column of the documents' numbers */
export function entryStatements(
  db: DatabaseSync,
  from: string,
  no: string,
  columns = 'no, space, entry',
): EntryStatements {
  const range = `SELECT ${columns} FROM ${from} WHERE ${no} BETWEEN ? AND ? ORDER BY ${no} LIMIT ?`;
  // group_concat() joins the bytes of blobs unchanged. One value instead of a row per entry is two to three times
  // faster, because most of the time is spent on handing rows to JavaScript.
  const slice = db.prepare(
    `SELECT CAST(group_concat(entry, '') AS BLOB), group_concat(no - ?), min(nullif(space, ${NO_SPACE})), max(space)
      FROM (${range})`,
  );
  slice.setReturnArrays(true);
  return { slice, rows: db.prepare(range), one: db.prepare(`SELECT ${columns} FROM ${from} WHERE ${no} = ?`) };
}

/** Of documents whose second space is this one, the entries of it; of all others their own. */
export function secondStatements(db: DatabaseSync, kind: UnitKind, space: number): EntryStatements {
  const columns =
    'own.no AS no, coalesce(second.space, own.space) AS space, coalesce(second.entry, own.entry) AS entry';
  const second = `${secondTable(kind)} AS second ON second.no = own.no AND second.space = ${Number(space)}`;
  return entryStatements(db, `${entryTable(kind)} AS own LEFT JOIN ${second}`, 'own.no', columns);
}

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { sqliteCode } from '#platform/sqlite';
import { RowRejectedError } from '../../errors.ts';
import type { RowsChange, RowTable, RowValue } from '../../rows.ts';
import { toColumn } from '../../text.ts';
import { quoted, rowTableName } from './read-models.ts';

/** Too big, not as the columns are, of another type. */
const REFUSALS: ReadonlySet<number> = new Set([18, 19, 20]);

/** Writes the rows of one read model, inside the transaction of its caller. */
export class RowWriter {
  readonly #model: string;
  readonly #columns: readonly string[];
  readonly #findFloor: StatementSync;
  readonly #writeFloor: StatementSync;
  readonly #removeBelow: StatementSync;
  readonly #insert: StatementSync;
  readonly #replaceLeftOut: StatementSync;

  constructor(db: DatabaseSync, { name, columns }: RowTable) {
    this.#model = name;
    this.#columns = Object.keys(columns);
    const table = rowTableName(name);
    const all = ['stream', 'revision', 'place', 'organization', 'tags', ...this.#columns];
    this.#findFloor = db.prepare('SELECT revision FROM row_floors WHERE model = ? AND stream = ?');
    this.#writeFloor = db.prepare('INSERT OR REPLACE INTO row_floors (model, stream, revision) VALUES (?, ?, ?)');
    this.#removeBelow = db.prepare(`DELETE FROM ${table} WHERE stream = ? AND revision < ?`);
    this.#replaceLeftOut = db.prepare('DELETE FROM left_out_rows WHERE model = ? AND stream = ?');
    this.#insert = db.prepare(
      `INSERT OR REPLACE INTO ${table} (${all.map(quoted).join(', ')}) VALUES (${all.map(() => '?').join(', ')})`,
    );
  }

  /** @returns whether rows that were there before are gone. @throws RowRejectedError */
  write({ stream, floor, rows }: RowsChange): boolean {
    const name = toColumn(stream);
    const found = this.#findFloor.get(this.#model, name) as { revision: number } | undefined;
    const before = found?.revision ?? -1;
    let removed = false;
    if (floor !== null && floor > before) {
      removed = Number(this.#removeBelow.run(name, floor).changes) > 0;
      this.#writeFloor.run(this.#model, name, floor);
      this.#replaceLeftOut.run(this.#model, name);
    }
    const lowest = Math.max(before, floor ?? -1);
    const places = new Map<number, number>();
    for (const { revision, organization, tags, values } of rows) {
      if (revision < lowest) continue;
      const place = places.get(revision) ?? 0;
      places.set(revision, place + 1);
      const own = this.#columns.map((column) => columnValue(values[column] ?? null));
      const common = [name, revision, place, toColumn(organization), JSON.stringify(tags.map(toColumn))];
      try {
        this.#insert.run(...common, ...own);
      } catch (error) {
        if (!REFUSALS.has(sqliteCode(error) ?? -1)) throw error;
        throw new RowRejectedError([
          { organization, id: stream, model: this.#model, reason: (error as Error).message },
        ]);
      }
    }
    return removed;
  }
}

export const columnValue = (value: RowValue): SQLInputValue => (typeof value === 'string' ? toColumn(value) : value);

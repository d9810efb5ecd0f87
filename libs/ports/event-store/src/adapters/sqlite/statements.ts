import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

export type Column = string | number | null;

/** Prepared statements of one database, kept by their SQL. Rows are arrays, which cost less than objects. */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Returns the columns of all rows in one array. */
  rows(sql: string, values: SQLInputValue[]): Column[] {
    return (this.#statement(sql).all(...values) as unknown as Column[][]).flat();
  }

  row(sql: string, values: SQLInputValue[]): Column[] | undefined {
    return this.#statement(sql).get(...values) as unknown as Column[] | undefined;
  }

  /** Returns the only column of a row, or undefined if there is no row or the column is NULL. */
  number(sql: string, values: SQLInputValue[]): number | undefined {
    return (this.row(sql, values)?.[0] ?? undefined) as number | undefined;
  }

  run(sql: string, values: SQLInputValue[]): { lastInsertRowid: number | bigint } {
    return this.#statement(sql).run(...values);
  }

  #statement(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      statement.setReturnArrays(true);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { toColumn } from '../../text.ts';
import { NO_SPACE } from './entry-statements.ts';

/** Numbers of vector spaces, given out by the writer. */
export class SpaceNumbers {
  readonly #known = new Map<string, number>();
  readonly #find: StatementSync;
  readonly #insert: StatementSync;

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT no FROM spaces WHERE name = ?');
    this.#insert = db.prepare('INSERT INTO spaces (name) VALUES (?)');
  }

  /** @param name null: no vectors */
  of(name: string | null): number {
    if (name === null) return NO_SPACE;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = this.#find.get(toColumn(name)) as { no: number } | undefined;
    const no = found?.no ?? Number(this.#insert.run(toColumn(name)).lastInsertRowid);
    this.#known.set(name, no);
    return no;
  }

  /** Forgets numbers that a rollback took back. */
  reset(): void {
    this.#known.clear();
  }
}

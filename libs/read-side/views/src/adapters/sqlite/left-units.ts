import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LeftUnit } from '../../documents.ts';
import { kindNumber } from './numbers.ts';

/** Writes which units of documents searches leave out, and touches only what differs. */
export class LeftUnitWriter {
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #move: StatementSync;

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT kind, ordinal, since FROM left_units WHERE document = ?');
    this.#find.setReturnArrays(true);
    this.#insert = db.prepare('INSERT OR REPLACE INTO left_units (document, kind, ordinal, since) VALUES (?, ?, ?, ?)');
    this.#delete = db.prepare('DELETE FROM left_units WHERE document = ? AND kind = ? AND ordinal = ?');
    this.#move = db.prepare('UPDATE left_units SET document = ? WHERE document = ?');
  }

  write(no: number, leftOut: readonly LeftUnit[]): void {
    const found = this.#find.all(no) as unknown as [kind: number, ordinal: number, since: number][];
    const left = new Map(found.map(([kind, ordinal, since]) => [`${kind} ${ordinal}`, since]));
    for (const [kind, ordinal, since] of leftOut) {
      const key = `${kindNumber(kind)} ${ordinal}`;
      if (left.get(key) !== since) this.#insert.run(no, kindNumber(kind), ordinal, since);
      left.delete(key);
    }
    for (const [kind, ordinal] of found) {
      if (left.has(`${kind} ${ordinal}`)) this.#delete.run(no, kind, ordinal);
    }
  }

  move(from: number, to: number): void {
    this.#move.run(to, from);
  }
}

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { withVectors } from '#features/search';
import type { IndexedUnitVectors, UnitKind, UnitSet } from '../../documents.ts';
import type { EntryTable } from './entries.ts';
import { KINDS } from './numbers.ts';
import { secondTable } from './second-tables.ts';

interface Statements {
  readonly read: StatementSync;
  readonly put: StatementSync;
  readonly delete: StatementSync;
  readonly move: StatementSync;
}

/** Writes the entries of second spaces, inside the transaction of its caller. */
export class SecondEntries {
  readonly #entries: Readonly<Record<UnitKind, EntryTable>>;
  readonly #tables: Readonly<Record<UnitKind, Statements>>;
  readonly #spaceOf: StatementSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;
  readonly #move: StatementSync;

  /** @param entries the own entries of the documents */
  constructor(db: DatabaseSync, entries: Readonly<Record<UnitKind, EntryTable>>) {
    this.#entries = entries;
    this.#tables = { chunk: statementsOf(db, 'chunk'), memory: statementsOf(db, 'memory') };
    this.#spaceOf = db.prepare('SELECT space FROM second_spaces WHERE no = ?');
    this.#put = db.prepare('INSERT OR REPLACE INTO second_spaces (no, space) VALUES (?, ?)');
    this.#delete = db.prepare('DELETE FROM second_spaces WHERE no = ?');
    this.#move = db.prepare('UPDATE second_spaces SET no = ? WHERE no = ?');
  }

  /**
   * Brings the entries to what a change says, after the own entries.
   * @param space number of the second space
   * @returns whether they have changed
   */
  replace(no: number, space: number, { units, second = null }: UnitSet): boolean {
    if (second === null) return this.delete(no);
    let changed = this.#spaceOfDocument(no) !== space;
    if (changed) this.#put.run(no, space);
    for (const kind of KINDS) {
      const own = this.#entries[kind].read(no);
      if (own === null) {
        if (this.#tables[kind].delete.run(no).changes > 0) changed = true;
        continue;
      }
      const entry = withVectors(own.entry, inOrder(units, second, kind));
      const before = this.#tables[kind].read.get(no) as { entry: Uint8Array } | undefined;
      if (before !== undefined && !changed && Buffer.compare(before.entry, entry) === 0) continue;
      this.#tables[kind].put.run(no, space, entry);
      changed = true;
    }
    return changed;
  }

  /** @returns whether there were any */
  delete(no: number): boolean {
    if (this.#delete.run(no).changes === 0) return false;
    for (const kind of KINDS) this.#tables[kind].delete.run(no);
    return true;
  }

  move(from: number, to: number): void {
    if (this.#move.run(to, from).changes === 0) return;
    for (const kind of KINDS) this.#tables[kind].move.run(to, from);
  }

  #spaceOfDocument(no: number): number | null {
    return (this.#spaceOf.get(no) as { space: number } | undefined)?.space ?? null;
  }
}

/** The vectors of one kind by their ordinals. */
function inOrder(units: UnitSet['units'], second: readonly IndexedUnitVectors[], kind: UnitKind): IndexedUnitVectors[] {
  const vectors: IndexedUnitVectors[] = [];
  for (const [place, unit] of units.entries()) {
    if (unit.kind === kind) vectors[unit.ordinal] = second[place] as IndexedUnitVectors;
  }
  return vectors;
}

function statementsOf(db: DatabaseSync, kind: UnitKind): Statements {
  const table = secondTable(kind);
  return {
    read: db.prepare(`SELECT entry FROM ${table} WHERE no = ?`),
    put: db.prepare(`INSERT OR REPLACE INTO ${table} (no, space, entry) VALUES (?, ?, ?)`),
    delete: db.prepare(`DELETE FROM ${table} WHERE no = ?`),
    move: db.prepare(`UPDATE ${table} SET no = ? WHERE no = ?`),
  };
}

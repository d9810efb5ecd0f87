import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Unit, UnitKind, UnitSet } from '../../port.ts';
import { toColumn, toColumnOrNull } from '../../text.ts';
import { EntryTable, entryOf } from './entries.ts';
import type { EntryLog } from './entry-log.ts';
import { KINDS, kindNumber, partitionOf } from './numbers.ts';
import type { PartitionDirectory } from './partitions.ts';
import { UNIT_COLUMNS } from './rows.ts';

/** Writes the units of documents and the index entries made of them. */
export class UnitWriter {
  readonly #partitions: PartitionDirectory;
  readonly #log: EntryLog;
  readonly #entries: Readonly<Record<UnitKind, EntryTable>>;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #move: StatementSync;

  constructor(db: DatabaseSync, partitions: PartitionDirectory, log: EntryLog) {
    this.#partitions = partitions;
    this.#log = log;
    this.#entries = { chunk: new EntryTable(db, 'chunk'), memory: new EntryTable(db, 'memory') };
    this.#insert = db.prepare(`INSERT INTO units (document, ${UNIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`);
    this.#delete = db.prepare('DELETE FROM units WHERE document = ?');
    this.#move = db.prepare('UPDATE units SET document = ? WHERE document = ?');
  }

  /**
   * Writes the units of a document that has none.
   * @param space number of the vectors' space
   */
  insert(no: number, space: number, set: UnitSet): void {
    for (const unit of set.units) this.#insertUnit(no, unit);
    let written = false;
    for (const kind of KINDS) {
      const entry = entryOf(set, kind);
      if (entry === null) continue;
      this.#entries[kind].insert(no, space, entry);
      this.#partitions.entries(partitionOf(no), kind, 1, entry.length);
      written = true;
    }
    if (written) this.#log.changed(no);
  }

  /** @returns whether there were any */
  remove(no: number): boolean {
    const { changes } = this.#delete.run(no);
    let removed = false;
    for (const kind of KINDS) {
      const bytes = this.#entries[kind].delete(no);
      if (bytes === null) continue;
      this.#partitions.entries(partitionOf(no), kind, -1, -bytes);
      removed = true;
    }
    if (removed) this.#log.changed(no);
    return Number(changes) > 0;
  }

  move(from: number, to: number): void {
    this.#move.run(to, from);
    let moved = false;
    for (const kind of KINDS) {
      const bytes = this.#entries[kind].move(from, to);
      if (bytes === null) continue;
      this.#partitions.entries(partitionOf(from), kind, -1, -bytes);
      this.#partitions.entries(partitionOf(to), kind, 1, bytes);
      moved = true;
    }
    if (moved) {
      this.#log.changed(from);
      this.#log.changed(to);
    }
  }

  #insertUnit(no: number, unit: Unit): void {
    this.#insert.run(
      no,
      kindNumber(unit.kind),
      unit.ordinal,
      toColumn(unit.id),
      toColumn(unit.text),
      toColumnOrNull(unit.speaker),
    );
  }
}

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Unit, UnitChanges, UnitKind, UnitSet } from '../../documents.ts';
import { toColumn, toColumnOrNull } from '../../text.ts';
import { changedUnits } from '../../unit-changes.ts';
import { EntryTable, entryOf } from './entries.ts';
import type { EntryFile } from './entry-file.ts';
import type { EntryLog } from './entry-log.ts';
import { NO_SPACE } from './entry-statements.ts';
import { KINDS, kindNumber, partitionOf } from './numbers.ts';
import type { PartitionDirectory } from './partitions.ts';
import { RepeatWriter } from './repeats.ts';
import { locationColumn, UNIT_COLUMNS } from './rows.ts';
import { SecondEntries } from './second-entries.ts';
import { placeKey, StoredUnitReader, type StoredUnits } from './stored-units.ts';
import { textKeyOf } from './text-keys.ts';

/** Writes the units of documents and the index entries made of them. */
export class UnitWriter {
  readonly #partitions: PartitionDirectory;
  readonly #log: EntryLog;
  readonly #entries: Readonly<Record<UnitKind, EntryTable>>;
  readonly #seconds: SecondEntries;
  readonly #stored: StoredUnitReader;
  readonly #repeats: RepeatWriter;
  readonly #insert: StatementSync;
  readonly #replace: StatementSync;
  readonly #deleteOne: StatementSync;
  readonly #delete: StatementSync;
  readonly #memories: StatementSync;
  readonly #move: StatementSync;

  constructor(db: DatabaseSync, partitions: PartitionDirectory, log: EntryLog) {
    this.#partitions = partitions;
    this.#log = log;
    this.#entries = { chunk: new EntryTable(db, 'chunk'), memory: new EntryTable(db, 'memory') };
    this.#seconds = new SecondEntries(db, this.#entries);
    this.#repeats = new RepeatWriter(db, partitions);
    this.#stored = new StoredUnitReader(db, this.#entries);
    this.#deleteOne = db.prepare('DELETE FROM units WHERE document = ? AND kind = ? AND ordinal = ?');
    const values = `INTO units (document, ${UNIT_COLUMNS}, text_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
    this.#insert = db.prepare(`INSERT ${values}`);
    this.#replace = db.prepare(`INSERT OR REPLACE ${values}`);
    this.#delete = db.prepare('DELETE FROM units WHERE document = ?');
    // The ordinals of a kind have no gap.
    this.#memories = db.prepare('SELECT max(ordinal) + 1 AS count FROM units WHERE document = ? AND kind = ?');
    this.#move = db.prepare('UPDATE units SET document = ? WHERE document = ?');
  }

  /**
   * Writes the units of a document that has none.
   * @param space number of the vectors' space
   * @param second number of the second space
   */
  insert(no: number, space: number, second: number, set: UnitSet): void {
    this.insertUnits(no, set.units);
    for (const kind of KINDS) {
      const entry = entryOf(set, kind);
      if (entry === null) continue;
      this.#entries[kind].insert(no, space, entry);
      this.#partitions.entries(partitionOf(no), kind, 1, entry.length);
    }
    if (set.second) this.#seconds.replace(no, second, set);
    if (set.units.length > 0) this.#log.changed(no);
  }

  /** Whether searches find units of a document. */
  isFound(no: number): boolean {
    return KINDS.some((kind) => this.#entries[kind].has(no));
  }

  /** Writes units that searches do not find before `copyEntries`. */
  insertUnits(no: number, units: readonly Unit[]): void {
    for (const unit of units) this.#write(this.#insert, no, unit);
    this.#partitions.memories(partitionOf(no), memoriesIn(units));
  }

  copyEntries(no: number, file: EntryFile): void {
    let copied = false;
    for (const kind of KINDS) {
      const bytes = file.copy(kind, no);
      if (bytes === null) continue;
      this.#partitions.entries(partitionOf(no), kind, 1, bytes);
      copied = true;
    }
    if (copied) this.#log.changed(no);
  }

  /**
   * Brings the units of a document to what a change says, and touches only what differs.
   * @param space number of the vectors' space
   * @param second number of the second space
   * @returns whether words that were there before are gone
   */
  replace(no: number, space: number, second: number, units: UnitSet | UnitChanges): boolean {
    const stored = this.#stored.of(no);
    const set = 'put' in units ? changedUnits(stored.withVectors(space), units) : units;
    return this.#update(no, { space: set.vectors === null ? NO_SPACE : space, second }, stored, set);
  }

  /** @returns whether there were any */
  remove(no: number): boolean {
    this.#partitions.memories(partitionOf(no), -this.#memoriesOf(no));
    const { changes } = this.#delete.run(no);
    this.#repeats.remove(no);
    let removed = false;
    for (const kind of KINDS) {
      const bytes = this.#entries[kind].delete(no);
      if (bytes === null) continue;
      this.#partitions.entries(partitionOf(no), kind, -1, -bytes);
      removed = true;
    }
    this.#seconds.delete(no);
    if (removed) this.#log.changed(no);
    return Number(changes) > 0;
  }

  move(from: number, to: number): void {
    const memories = this.#memoriesOf(from);
    this.#partitions.memories(partitionOf(from), -memories);
    this.#partitions.memories(partitionOf(to), memories);
    this.#move.run(to, from);
    this.#repeats.moved(from, to);
    let moved = false;
    for (const kind of KINDS) {
      const bytes = this.#entries[kind].move(from, to);
      if (bytes === null) continue;
      this.#partitions.entries(partitionOf(from), kind, -1, -bytes);
      this.#partitions.entries(partitionOf(to), kind, 1, bytes);
      moved = true;
    }
    this.#seconds.move(from, to);
    if (moved) {
      this.#log.changed(from);
      this.#log.changed(to);
    }
  }

  #write(statement: StatementSync, no: number, unit: Unit): void {
    const { kind, ordinal, id, text, speaker } = unit;
    const words = [toColumn(id), toColumn(text), toColumnOrNull(speaker), locationColumn(unit)] as const;
    const key = textKeyOf(unit);
    statement.run(no, kindNumber(kind), ordinal, ...words, key);
    if (kind === 'memory') this.#repeats.wrote(no, ordinal, key);
  }

  #memoriesOf(no: number): number {
    return (this.#memories.get(no, kindNumber('memory')) as { count: number | null }).count ?? 0;
  }

  #update(no: number, { space, second }: SpaceNumbers, stored: StoredUnits, set: UnitSet): boolean {
    const left = new Map(stored.units);
    let removed = false;
    for (const unit of set.units) {
      const key = placeKey(unit);
      const before = left.get(key);
      left.delete(key);
      if (before !== undefined && isSameUnit(before, unit)) continue;
      removed ||= before !== undefined;
      if (before?.kind === 'memory') this.#repeats.removeOne(no, before.ordinal);
      this.#write(this.#replace, no, unit);
    }
    const memories = memoriesIn(set.units) - memoriesIn([...stored.units.values()]);
    if (memories !== 0) this.#partitions.memories(partitionOf(no), memories);
    for (const { kind, ordinal } of left.values()) {
      this.#deleteOne.run(no, kindNumber(kind), ordinal);
      if (kind === 'memory') this.#repeats.removeOne(no, ordinal);
    }
    let changed = false;
    for (const kind of KINDS) changed = this.#updateEntry(no, kind, space, stored, set) || changed;
    changed = this.#seconds.replace(no, second, set) || changed;
    if (changed) this.#log.changed(no);
    return removed || left.size > 0;
  }

  /** @returns whether it has changed */
  #updateEntry(no: number, kind: UnitKind, space: number, stored: StoredUnits, set: UnitSet): boolean {
    const before = stored.entries[kind];
    const entry = entryOf(set, kind, (unit) => stored.indexed(unit));
    if (before === null ? entry === null : before.space === space && entry !== null && isSame(before.entry, entry)) {
      return false;
    }
    const table = this.#entries[kind];
    if (entry === null) table.delete(no);
    else if (before === null) table.insert(no, space, entry);
    else table.update(no, space, entry);
    const added = (entry === null ? 0 : 1) - (before === null ? 0 : 1);
    const bytes = (entry?.length ?? 0) - (before?.entry.length ?? 0);
    this.#partitions.entries(partitionOf(no), kind, added, bytes);
    return true;
  }
}

/** Numbers of the own and of the second space of a document. */
interface SpaceNumbers {
  readonly space: number;
  readonly second: number;
}

const memoriesIn = (units: readonly Pick<Unit, 'kind'>[]): number =>
  units.reduce((sum, { kind }) => (kind === 'memory' ? sum + 1 : sum), 0);

const isSameUnit = (a: Unit, b: Unit): boolean =>
  a.id === b.id && a.text === b.text && a.speaker === b.speaker && locationColumn(a) === locationColumn(b);

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

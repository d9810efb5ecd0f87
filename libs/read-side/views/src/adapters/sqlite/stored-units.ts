import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { decodeEntry, type IndexedUnit, vectorsIn } from '#features/search';
import type { Unit, UnitKind } from '../../documents.ts';
import type { StoredUnit } from '../../unit-changes.ts';
import type { EntryTable, StoredEntry } from './entries.ts';
import { KINDS } from './numbers.ts';
import { UNIT_COLUMNS, type UnitColumns, unitFromColumns } from './rows.ts';

/** The units of one document as the tables hold them, for a writer that compares. Entries are decoded when needed. */
export class StoredUnits {
  readonly units: ReadonlyMap<string, Unit>;
  readonly entries: Readonly<Record<UnitKind, StoredEntry | null>>;
  readonly #byId: ReadonlyMap<string, Unit>;
  readonly #indexed: Partial<Record<UnitKind, readonly IndexedUnit[]>> = {};

  constructor(units: readonly Unit[], entries: Readonly<Record<UnitKind, StoredEntry | null>>) {
    this.units = new Map(units.map((unit) => [placeKey(unit), unit]));
    this.#byId = new Map(units.map((unit) => [idKey(unit), unit]));
    this.entries = entries;
  }

  /** The words of a unit with this id, kind, text and speaker. Null: they have to be analysed. */
  indexed(unit: Unit): IndexedUnit | null {
    const found = this.#byId.get(idKey(unit));
    if (found === undefined || found.text !== unit.text || found.speaker !== unit.speaker) return null;
    return this.#units(unit.kind)[found.ordinal] ?? null;
  }

  /** @param space number of the space whose vectors count */
  withVectors(space: number): StoredUnit[] {
    return [...this.units.values()].map((unit) => {
      const found = this.entries[unit.kind]?.space === space ? this.#units(unit.kind)[unit.ordinal] : undefined;
      return { unit, vectors: found === undefined ? null : vectorsIn(found) };
    });
  }

  #units(kind: UnitKind): readonly IndexedUnit[] {
    const entry = this.entries[kind];
    this.#indexed[kind] ??= entry === null ? [] : decodeEntry(entry.entry).units;
    return this.#indexed[kind];
  }
}

export class StoredUnitReader {
  readonly #units: StatementSync;
  readonly #entries: Readonly<Record<UnitKind, EntryTable>>;

  constructor(db: DatabaseSync, entries: Readonly<Record<UnitKind, EntryTable>>) {
    this.#units = db.prepare(`SELECT ${UNIT_COLUMNS} FROM units WHERE document = ?`);
    this.#units.setReturnArrays(true);
    this.#entries = entries;
  }

  of(no: number): StoredUnits {
    const rows = this.#units.all(no) as unknown as UnitColumns[];
    const [chunk, memory] = KINDS.map((kind) => this.#entries[kind].read(no)) as [
      StoredEntry | null,
      StoredEntry | null,
    ];
    return new StoredUnits(rows.map(unitFromColumns), { chunk, memory });
  }
}

export const placeKey = ({ kind, ordinal }: Unit): string => `${kind} ${ordinal}`;
const idKey = ({ kind, id }: Unit): string => `${kind} ${id}`;

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  countWords,
  encodeEntry,
  type IndexedUnit,
  indexUnit,
  isAnalysedIn,
  unitsOf,
  withVectors,
  withVectorsOf,
} from '#features/search';
import type { Unit, UnitKind, UnitSet } from '../../documents.ts';
import { checkOrdinals } from '../../unit-changes.ts';
import { type EntryStatements, entryStatements, entryTable, NO_SPACE, secondStatements } from './entry-statements.ts';
import { firstNumber, lastNumber, partitionOf } from './numbers.ts';
import { PartitionSpaces } from './partition-spaces.ts';

/**
 * Encodes what the scan sees of the units of one kind.
 * @param indexed the words of a unit where they are known; null: they are analysed
 * @returns null: no unit of this kind
 * @throws RangeError unless their ordinals run from 0 without a gap: a hit is named by its place in the entry
 */
export function entryOf(
  set: UnitSet,
  kind: UnitKind,
  indexed: (unit: Unit) => IndexedUnit | null = () => null,
): Uint8Array | null {
  const places: number[] = [];
  for (let i = 0; i < set.units.length; i++) if (set.units[i]?.kind === kind) places.push(i);
  if (places.length === 0) return null;
  places.sort((a, b) => (set.units[a]?.ordinal ?? 0) - (set.units[b]?.ordinal ?? 0));
  checkOrdinals(
    kind,
    places.map((place) => (set.units[place] as Unit).ordinal),
  );
  const { language = null } = set;
  const units = places.map((place) => {
    const unit = set.units[place] as Unit;
    const vectors = set.vectors?.[place] ?? null;
    const known = indexed(unit);
    if (known === null || !isAnalysedIn(known, language)) {
      return indexUnit(unit.text, unit.speaker, vectors, language);
    }
    return withVectorsOf(known, vectors);
  });
  return encodeEntry({ header: countWords(set.header, language), units });
}

export interface StoredEntry {
  /** Number of the vectors' space. */
  readonly space: number;
  readonly entry: Uint8Array;
}

/** The writer's statements on one of the two entry tables. */
export class EntryTable {
  readonly #has: StatementSync;
  readonly #read: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #delete: StatementSync;
  readonly #move: StatementSync;

  constructor(db: DatabaseSync, kind: UnitKind) {
    const table = entryTable(kind);
    this.#has = db.prepare(`SELECT 1 FROM ${table} WHERE no = ?`);
    this.#read = db.prepare(`SELECT space, entry FROM ${table} WHERE no = ?`);
    this.#update = db.prepare(`UPDATE ${table} SET space = ?, entry = ? WHERE no = ?`);
    this.#insert = db.prepare(`INSERT INTO ${table} (no, space, entry) VALUES (?, ?, ?)`);
    this.#delete = db.prepare(`DELETE FROM ${table} WHERE no = ? RETURNING length(entry) AS bytes`);
    this.#move = db.prepare(`UPDATE ${table} SET no = ? WHERE no = ? RETURNING length(entry) AS bytes`);
  }

  has(document: number): boolean {
    return this.#has.get(document) !== undefined;
  }

  read(document: number): StoredEntry | null {
    return (this.#read.get(document) as StoredEntry | undefined) ?? null;
  }

  update(document: number, space: number, entry: Uint8Array): void {
    this.#update.run(space, entry, document);
  }

  insert(document: number, space: number, entry: Uint8Array): void {
    this.#insert.run(document, space, entry);
  }

  /** @returns the size of the removed entry in bytes; null: there was none */
  delete(document: number): number | null {
    return bytesOf(this.#delete.get(document));
  }

  /** @returns the size of the moved entry in bytes; null: there was none */
  move(from: number, to: number): number | null {
    return bytesOf(this.#move.get(to, from));
  }
}

const bytesOf = (row: unknown): number | null => (row as { bytes: number } | undefined)?.bytes ?? null;

/** Consecutive entries as the scanner takes them, and the document of each. */
export interface EntrySlice {
  readonly bytes: Uint8Array;
  /** Numbers of the documents, ascending. */
  readonly documents: Float64Array;
  /** The lowest and the highest number of a vector space among them. */
  readonly spaces: readonly number[];
  /** Whether vectors of other spaces than the query's were left out. */
  readonly stripped: boolean;
}

/** The entry of one document. */
export interface FoundEntry {
  readonly entry: Uint8Array;
  readonly space: number;
  readonly stripped: boolean;
}

/** Bytes read at once. Values of this size cause little fragmentation; larger ones were not faster. */
const SLICE_BYTES = 256 * 1024;
const MOST_IN_SLICE = 8192;

/** Reads one of the two entry tables for searches. */
export class EntryReader {
  /** Of the own entries of all documents. */
  readonly #own: EntryStatements;
  /** Of documents whose second space is this one, the entries of it; of all others their own. */
  readonly #ofSecond: (space: number) => EntryStatements;
  readonly #bySpace = new Map<number, EntryStatements>();
  readonly #spaces: PartitionSpaces;

  constructor(db: DatabaseSync, kind: UnitKind) {
    const table = entryTable(kind);
    this.#own = entryStatements(db, table, 'no');
    this.#spaces = new PartitionSpaces(db);
    this.#ofSecond = (space) => {
      const known = this.#bySpace.get(space) ?? secondStatements(db, kind, space);
      this.#bySpace.set(space, known);
      return known;
    };
  }

  /**
   * Reads every entry of a partition in slices of about SLICE_BYTES.
   * @param expected counters of the partition, which determine the slices
   * @param space of the query's vector: vectors of other spaces are left out; null: all stay
   */
  *slices(
    partition: number,
    expected: { readonly entries: number; readonly bytes: number },
    space: number | null,
  ): Generator<EntrySlice> {
    const average = Math.max(1, expected.bytes / Math.max(1, expected.entries));
    const rows = Math.max(1, Math.min(MOST_IN_SLICE, Math.floor(SLICE_BYTES / average)));
    const base = firstNumber(partition);
    const last = lastNumber(partition);
    const statements = this.#statementsFor(partition, space);
    for (let from = base; ; ) {
      const [bytes, places, lowest, highest] = statements.slice.get(base, from, last, rows) as unknown as SliceColumns;
      if (bytes === null) return;
      const documents = Float64Array.from(places.split(','), (place) => base + Number(place));
      const held = [lowest ?? NO_SPACE, highest];
      yield isForeign(held, space)
        ? sliceWithout(statements.rows.all(from, last, rows) as unknown as EntryColumns[], space)
        : { bytes, documents, spaces: held, stripped: false };
      if (documents.length < rows) return;
      from = (documents.at(-1) as number) + 1;
    }
  }

  /** Returns the entry of one document as {@link slices} would; null: it has none. */
  one(document: number, space: number | null): FoundEntry | null {
    const { one } = this.#statementsFor(partitionOf(document), space);
    const row = one.get(document) as unknown as EntryColumns | undefined;
    return row === undefined ? null : ofSpace(row, space);
  }

  /** @param space of the query's vector */
  #statementsFor(partition: number, space: number | null): EntryStatements {
    const isOwn = space === null || !this.#spaces.hasSecond({ no: partition }, space);
    return isOwn ? this.#own : this.#ofSecond(space);
  }
}

/** Entries with vectors of another space are ranked by their words. */
function sliceWithout(rows: readonly EntryColumns[], space: number | null): EntrySlice {
  const found = rows.map((row) => ({ no: row.no, ...ofSpace(row, space) }));
  return {
    bytes: Buffer.concat(found.map(({ entry }) => entry)),
    documents: Float64Array.from(found, ({ no }) => no),
    spaces: [...new Set(found.map((row) => row.space))],
    stripped: true,
  };
}

type SliceColumns =
  | readonly [bytes: Uint8Array, places: string, lowestSpace: number | null, highestSpace: number]
  | readonly [bytes: null, places: null, lowestSpace: null, highestSpace: null];

interface EntryColumns {
  readonly no: number;
  readonly space: number;
  readonly entry: Uint8Array;
}

/**
 * Frees the memory of bytes at once; they are empty afterwards. Left to the collector, up to 64 MB of buffers that one
 * query used would remain outside of every budget.
 */
export function free(bytes: Uint8Array): void {
  const memory = bytes.buffer as ArrayBuffer;
  // Small buffers may share their memory with others.
  if (memory.byteLength === bytes.length) memory.transfer(0);
}

/** Whether any of these vectors must not be compared with a query vector of `space`. */
export function isForeign(held: Iterable<number>, space: number | null): boolean {
  if (space === null) return false;
  for (const one of held) if (one !== NO_SPACE && one !== space) return true;
  return false;
}

function ofSpace({ space: held, entry }: EntryColumns, space: number | null): FoundEntry {
  if (!isForeign([held], space)) return { entry, space: held, stripped: false };
  const none = new Array<null>(unitsOf(entry, 0)).fill(null);
  return { entry: withVectors(entry, none), space: NO_SPACE, stripped: true };
}

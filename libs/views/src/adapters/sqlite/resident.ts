import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ENTRY_CANDIDATE, ENTRY_SKIPPED, entryBytes } from '#search';
import type { UnitKind } from '../../port.ts';
import { type EntryReader, type EntrySlice, isForeign } from './entries.ts';
import { firstNumber, kindNumber, lastNumber } from './numbers.ts';
import { entriesOf, type Partition } from './scope.ts';

/** Beside its bytes, an entry has the number of its document, its start and its state. */
const BYTES_PER_ENTRY = 8 + 4 + 1;
/** What the objects of one part take, about. */
const BYTES_PER_PART = 1024;
/** Starts are kept in 32 bits. */
const LARGEST_PART = 2 ** 32 - 1;
/** A part that has to grow takes room for more growth along. */
const GROWTH = 1.25;
/** A part of which more is dead than this is packed. */
const DEAD_SHARE = 0.25;

/** The entries of one kind of one partition in memory, laid out for the scanner; what died lies in between for a while. */
export class ResidentPart {
  /** Place in `entry_log` up to which this is what the tables hold. */
  reflects: number;
  #bytes: Uint8Array;
  #used: number;
  #dead = 0;
  #documents: Float64Array;
  #starts: Uint32Array;
  #states: Uint8Array;
  #length: number;
  readonly #spaces: Set<number>;

  constructor(slices: readonly EntrySlice[], reflects: number) {
    this.reflects = reflects;
    const [only] = slices;
    this.#bytes = slices.length === 1 && only ? only.bytes : joined(slices.map(({ bytes }) => bytes));
    this.#used = this.#bytes.length;
    this.#length = slices.reduce((sum, { documents }) => sum + documents.length, 0);
    this.#documents = new Float64Array(this.#length);
    let at = 0;
    for (const { documents } of slices) {
      this.#documents.set(documents, at);
      at += documents.length;
    }
    this.#starts = startsOf(this.#bytes, this.#length);
    this.#states = new Uint8Array(this.#length).fill(ENTRY_CANDIDATE);
    this.#spaces = new Set(slices.flatMap(({ spaces }) => spaces));
  }

  get entries(): Uint8Array {
    return this.#bytes.subarray(0, this.#used);
  }

  /** Numbers of the documents, one per entry, in the order of the entries. */
  get documents(): Float64Array {
    return this.#documents.subarray(0, this.#length);
  }

  /** One per entry: ENTRY_CANDIDATE, or ENTRY_SKIPPED for what was replaced or deleted. */
  get states(): Uint8Array {
    return this.#states.subarray(0, this.#length);
  }

  /** Bytes of memory that it takes. */
  get size(): number {
    return partSize(this.#documents.length, this.#bytes.length);
  }

  /** Whether a question of this space may be compared with every vector in it. */
  serves(space: number | null): boolean {
    return !isForeign(this.#spaces, space);
  }

  /** Puts a document's present entry in the place of what stood here. Null: it has none any more. */
  replace(document: number, found: { readonly entry: Uint8Array; readonly space: number } | null): void {
    this.#remove(document);
    if (found === null) return;
    this.#reserve(found.entry.length);
    this.#bytes.set(found.entry, this.#used);
    this.#documents[this.#length] = document;
    this.#starts[this.#length] = this.#used;
    this.#states[this.#length] = ENTRY_CANDIDATE;
    this.#used += found.entry.length;
    this.#length += 1;
    this.#spaces.add(found.space);
  }

  /** Closes the gaps once they are worth it. */
  pack(): void {
    if (this.#dead <= this.#used * DEAD_SHARE) return;
    let used = 0;
    let length = 0;
    for (let i = 0; i < this.#length; i++) {
      if (this.#states[i] === ENTRY_SKIPPED) continue;
      const start = this.#starts[i] as number;
      const end = this.#end(i);
      this.#bytes.copyWithin(used, start, end);
      this.#documents[length] = this.#documents[i] as number;
      this.#states[length] = ENTRY_CANDIDATE;
      this.#starts[length] = used;
      used += end - start;
      length += 1;
    }
    this.#dead = 0;
    this.#resize(used, length);
    this.#used = used;
    this.#length = length;
  }

  #remove(document: number): void {
    for (
      let i = this.#documents.indexOf(document);
      i !== -1 && i < this.#length;
      i = this.#documents.indexOf(document, i + 1)
    ) {
      if (this.#states[i] === ENTRY_SKIPPED) continue;
      this.#states[i] = ENTRY_SKIPPED;
      this.#dead += this.#end(i) - (this.#starts[i] as number);
      return;
    }
  }

  #end(i: number): number {
    return i + 1 < this.#length ? (this.#starts[i + 1] as number) : this.#used;
  }

  /** Makes room for one more entry. */
  #reserve(bytes: number): void {
    const tooSmall = this.#used + bytes > this.#bytes.length;
    const tooShort = this.#length === this.#documents.length;
    if (!tooSmall && !tooShort) return;
    this.#resize(
      tooSmall ? Math.ceil((this.#used + bytes) * GROWTH) : this.#bytes.length,
      tooShort ? Math.ceil((this.#length + 1) * GROWTH) : this.#documents.length,
    );
  }

  #resize(bytes: number, length: number): void {
    this.#bytes = resized(this.#bytes, new Uint8Array(bytes));
    this.#documents = resized(this.#documents, new Float64Array(length));
    this.#starts = resized(this.#starts, new Uint32Array(length));
    this.#states = resized(this.#states, new Uint8Array(length));
  }
}

export const partSize = (entries: number, bytes: number): number => bytes + entries * BYTES_PER_ENTRY + BYTES_PER_PART;

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function startsOf(entries: Uint8Array, length: number): Uint32Array {
  const starts = new Uint32Array(length);
  let at = 0;
  for (let i = 0; i < length; i++) {
    starts[i] = at;
    at += entryBytes(entries, at);
  }
  return starts;
}

function resized<T extends Uint8Array | Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from.subarray(0, to.length));
  return to;
}

/**
 * The parts that were asked for last, within a budget of bytes. A part is brought up to date inside the transaction of
 * the question that asks for it, so that it is exactly what the tables hold then.
 */
export class ResidentEntries {
  readonly #budget: number;
  readonly #readers: Readonly<Record<UnitKind, EntryReader>>;
  readonly #changes: StatementSync;
  readonly #oldestChange: StatementSync;
  /** The one asked for last stands last. */
  readonly #parts = new Map<string, ResidentPart>();
  #size = 0;

  constructor(db: DatabaseSync, readers: Readonly<Record<UnitKind, EntryReader>>, budget: number) {
    this.#budget = budget;
    this.#readers = readers;
    this.#changes = db.prepare('SELECT DISTINCT document FROM entry_log WHERE change > ? AND document BETWEEN ? AND ?');
    this.#changes.setReturnArrays(true);
    this.#oldestChange = db.prepare('SELECT min(change) AS oldest FROM entry_log');
  }

  get bytes(): number {
    return this.#size;
  }

  get parts(): number {
    return this.#parts.size;
  }

  /** Whether all of these could be resident at the same time. */
  hasRoomFor(partitions: readonly Partition[], kind: UnitKind): boolean {
    let size = 0;
    for (const partition of partitions) {
      const { entries, bytes } = entriesOf(partition, kind);
      if (bytes > LARGEST_PART) return false;
      size += partSize(entries, bytes);
    }
    return size <= this.#budget;
  }

  /**
   * @param space of the question's vector; null: it has none
   * @param load false: only what is resident already
   * @returns null: to be read from the tables
   */
  part(partition: Partition, kind: UnitKind, space: number | null, load: boolean): ResidentPart | null {
    const key = `${partition.no}/${kindNumber(kind)}`;
    let part = this.#take(key);
    if (part !== null && (!part.serves(space) || !this.#catchUp(part, partition, kind, space))) part = null;
    if (part === null && load) part = this.#load(partition, kind, space);
    if (part !== null) this.#keep(key, part);
    return part;
  }

  #take(key: string): ResidentPart | null {
    const part = this.#parts.get(key);
    if (part === undefined) return null;
    this.#parts.delete(key);
    this.#size -= part.size;
    return part;
  }

  /** Makes it the newest and lets the oldest go until all fit. It may itself have grown beyond the budget. */
  #keep(key: string, part: ResidentPart): void {
    this.#parts.set(key, part);
    this.#size += part.size;
    for (const [oldest, { size }] of this.#parts) {
      if (this.#size <= this.#budget) return;
      this.#parts.delete(oldest);
      this.#size -= size;
    }
  }

  #load(partition: Partition, kind: UnitKind, space: number | null): ResidentPart {
    const slices = [...this.#readers[kind].slices(partition.no, entriesOf(partition, kind), space)];
    return new ResidentPart(slices, partition.changed);
  }

  /** @returns false: too much has changed, or it is not known any more what; the part is to be read again */
  #catchUp(part: ResidentPart, partition: Partition, kind: UnitKind, space: number | null): boolean {
    if (part.reflects === partition.changed) return true;
    const { oldest } = this.#oldestChange.get() as { oldest: number | null };
    if (oldest === null || oldest > part.reflects + 1) return false;
    const changed = this.#changes.all(
      part.reflects,
      firstNumber(partition.no),
      lastNumber(partition.no),
    ) as unknown as [number][];
    if (changed.length > part.documents.length / 2 + 16) return false;
    for (const [document] of changed) part.replace(document, this.#readers[kind].one(document, space));
    part.pack();
    part.reflects = partition.changed;
    return true;
  }
}

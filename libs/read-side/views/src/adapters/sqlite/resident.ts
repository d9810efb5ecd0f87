import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { UnitKind } from '../../documents.ts';
import type { EntryReader } from './entries.ts';
import { firstNumber, kindNumber, lastNumber } from './numbers.ts';
import { entriesOf, type Partition } from './scope.ts';
import { ResidentSegment, segmentSize } from './segment.ts';

/** Which entries a search reads. */
export interface EntrySource {
  readonly kind: UnitKind;
  /** Number of the space of the query's vector; null: it has none. */
  readonly space: number | null;
  /** False: only resident segments. */
  readonly load: boolean;
  /** Whether the question is searched in other spaces too, whose segments stay beside this one. */
  readonly isOneOfSeveral?: boolean;
}

/** Share of the budget for memory of a single query, and for fragmentation. */
const IN_MOTION = 1 / 6;

/** Segments that were requested but not loaded, and are remembered. */
const REMEMBERED_SEGMENTS = 100;

/**
 * The most recently used segments, within a budget of bytes. A segment is brought up to date inside the transaction of
 * the query that uses it, so that it equals the tables.
 */
export class ResidentEntries {
  /** Segments that were requested and not loaded, oldest first. */
  readonly #askedOnce = new Set<string>();
  readonly #budget: number;
  readonly #readers: Readonly<Record<UnitKind, EntryReader>>;
  readonly #changes: StatementSync;
  readonly #oldestChange: StatementSync;
  /** In the order of last use. */
  readonly #segments = new Map<string, ResidentSegment>();
  #size = 0;

  constructor(db: DatabaseSync, readers: Readonly<Record<UnitKind, EntryReader>>, budget: number) {
    this.#budget = budget * (1 - IN_MOTION);
    this.#readers = readers;
    this.#changes = db.prepare('SELECT DISTINCT document FROM entry_log WHERE change > ? AND document BETWEEN ? AND ?');
    this.#changes.setReturnArrays(true);
    this.#oldestChange = db.prepare('SELECT min(change) AS oldest FROM entry_log');
  }

  /** Bytes of memory at this moment. */
  get bytes(): number {
    return this.#size;
  }

  get segments(): number {
    return this.#segments.size;
  }

  /** Whether all of these fit into the budget together. */
  hasRoomFor(partitions: readonly Partition[], kind: UnitKind): boolean {
    let size = 0;
    for (const partition of partitions) {
      const { entries, bytes } = entriesOf(partition, kind);
      size += segmentSize(entries, bytes);
    }
    return size <= this.#budget;
  }

  /** Loads a segment that was not requested. @returns false: there is no room without evicting another */
  warm(partition: Partition, kind: UnitKind): boolean {
    const { entries, bytes } = entriesOf(partition, kind);
    if (this.#size + segmentSize(entries, bytes) > this.#budget) return false;
    if (entries > 0) this.segment(partition, { kind, space: null, load: true });
    return true;
  }

  /** @returns null: to be read from the tables */
  segment(partition: Partition, { kind, space, load, isOneOfSeveral = false }: EntrySource): ResidentSegment | null {
    const key = `${partition.no}/${kindNumber(kind)}${isOneOfSeveral ? `/${space}` : ''}`;
    let segment = this.#take(key);
    if (segment !== null && !(segment.serves(space) && this.#catchUp(segment, partition, kind, space))) {
      segment.release();
      segment = null;
    }
    if (segment === null && load && this.#isWorthLoading(key, partition, kind))
      segment = this.#load(partition, kind, space);
    if (segment === null) return null;
    // Catching up may have enlarged it.
    this.#makeRoom(segment.size);
    this.#segments.set(key, segment);
    this.#size += segment.size;
    return segment;
  }

  /**
   * A segment that would evict another one is loaded at the second request only: single requests must not evict what is
   * used often.
   */
  #isWorthLoading(key: string, partition: Partition, kind: UnitKind): boolean {
    const { entries, bytes } = entriesOf(partition, kind);
    if (this.#size + segmentSize(entries, bytes) <= this.#budget) return true;
    if (this.#askedOnce.delete(key)) return true;
    this.#askedOnce.add(key);
    if (this.#askedOnce.size > REMEMBERED_SEGMENTS)
      this.#askedOnce.delete(this.#askedOnce.values().next().value as string);
    return false;
  }

  #take(key: string): ResidentSegment | null {
    const segment = this.#segments.get(key);
    if (segment === undefined) return null;
    this.#segments.delete(key);
    this.#size -= segment.size;
    return segment;
  }

  /** Evicts the least recently used segments until this many more bytes fit. */
  #makeRoom(bytes: number): void {
    for (const [key, segment] of this.#segments) {
      if (this.#size + bytes <= this.#budget) return;
      this.#segments.delete(key);
      this.#size -= segment.size;
      segment.release();
    }
  }

  #load(partition: Partition, kind: UnitKind, space: number | null): ResidentSegment {
    const expected = entriesOf(partition, kind);
    this.#makeRoom(segmentSize(expected.entries, expected.bytes));
    return new ResidentSegment(this.#readers[kind].slices(partition.no, expected, space), partition.changed, space);
  }

  /** @returns false: too much has changed, or the record of changes has been cut; the segment has to be read again */
  #catchUp(segment: ResidentSegment, partition: Partition, kind: UnitKind, space: number | null): boolean {
    if (segment.reflects === partition.changed) return true;
    const { oldest } = this.#oldestChange.get() as { oldest: number | null };
    if (oldest === null || oldest > segment.reflects + 1) return false;
    const changed = this.#changes.all(
      segment.reflects,
      firstNumber(partition.no),
      lastNumber(partition.no),
    ) as unknown as [number][];
    if (changed.length > segment.entries / 2 + 16) return false;
    for (const [document] of changed) segment.replace(document, this.#readers[kind].one(document, space), space);
    segment.reflects = partition.changed;
    return !segment.isWorn;
  }
}

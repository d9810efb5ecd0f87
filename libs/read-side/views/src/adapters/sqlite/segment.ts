import { ENTRY_CANDIDATE, ENTRY_SKIPPED, entryBytes } from '#features/search';
import { type EntrySlice, type FoundEntry, free, isForeign } from './entries.ts';

/** Bytes per entry beside its content: the number of its document and its state. */
const BYTES_PER_ENTRY = 8 + 1;
/** Bytes, approximately, of the objects of one segment. */
const BYTES_PER_SEGMENT = 1024;
/** Buffers that grow are over-allocated by this factor. */
const GROWTH = 1.25;
/** Reload a segment above this share of deleted rows. */
const DEAD_SHARE = 0.25;

/** Consecutive entries as the scanner takes them, with the document and the state of each. */
export interface ScanSlice {
  readonly bytes: Uint8Array;
  readonly documents: Float64Array;
  /** ENTRY_CANDIDATE, or ENTRY_SKIPPED if replaced or deleted. */
  readonly states: Uint8Array;
}

/** The entries of one kind of one partition in memory: the slices as they were read, and a slice of later entries. */
export class ResidentSegment {
  /** Change in `entry_log` up to which it equals the tables. */
  reflects: number;
  readonly #read: readonly ScanSlice[];
  readonly #since = new GrowingSlice();
  #readBytes = 0;
  #readEntries = 0;
  #dead = 0;
  /** Vector spaces of the vectors in it. */
  readonly #spaces = new Set<number>();
  /** The space for which vectors of other spaces were left out. Null: none were. */
  #strippedFor: number | null = null;

  /**
   * @param slices every entry; kept without copying, which would cost as much as reading them
   * @param space for which the slices were read
   */
  constructor(slices: Iterable<EntrySlice>, reflects: number, space: number | null) {
    this.reflects = reflects;
    this.#read = Array.from(slices, ({ bytes, documents, spaces, stripped }) => {
      this.#readBytes += bytes.length;
      this.#readEntries += documents.length;
      this.#note(spaces, stripped, space);
      return { bytes, documents, states: candidates(documents.length) };
    });
  }

  /** Every entry, including replaced ones. */
  get slices(): readonly ScanSlice[] {
    return this.#since.length === 0 ? this.#read : [...this.#read, this.#since.slice()];
  }

  /** Number of entries, including replaced ones. */
  get entries(): number {
    return this.#readEntries + this.#since.length;
  }

  /** Bytes of memory. */
  get size(): number {
    return segmentSize(this.#readEntries, this.#readBytes) + this.#since.size;
  }

  /** Whether enough is deleted that it should be read again. */
  get isWorn(): boolean {
    return this.#dead > (this.#readBytes + this.#since.used) * DEAD_SHARE;
  }

  /** Whether it holds every vector that a query in this space may be compared with, and no other. */
  serves(space: number | null): boolean {
    if (space !== null && this.#strippedFor !== null && space !== this.#strippedFor) return false;
    return !isForeign(this.#spaces, space);
  }

  /**
   * Replaces the entry of a document.
   * @param found null: it has none any more
   * @param space for which the entry was read
   */
  replace(document: number, found: FoundEntry | null, space: number | null): void {
    for (const slice of this.slices) this.#dead += skip(slice, document);
    if (found === null) return;
    this.#since.add(document, found.entry);
    this.#note([found.space], found.stripped, space);
  }

  /** Frees its memory; it must not be used afterwards. */
  release(): void {
    for (const { bytes } of this.#read) free(bytes);
  }

  #note(spaces: readonly number[], stripped: boolean, space: number | null): void {
    for (const one of spaces) this.#spaces.add(one);
    if (stripped) this.#strippedFor = space;
  }
}

export const segmentSize = (entries: number, bytes: number): number =>
  bytes + entries * BYTES_PER_ENTRY + BYTES_PER_SEGMENT;

/** A slice to which entries are added. */
class GrowingSlice {
  #bytes = new Uint8Array(0);
  #used = 0;
  #documents = new Float64Array(0);
  #states = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get used(): number {
    return this.#used;
  }

  get size(): number {
    return this.#bytes.length + this.#documents.length * BYTES_PER_ENTRY;
  }

  /** Valid until the next `add`, whose memory it shares. */
  slice(): ScanSlice {
    return {
      bytes: this.#bytes.subarray(0, this.#used),
      documents: this.#documents.subarray(0, this.#length),
      states: this.#states.subarray(0, this.#length),
    };
  }

  add(document: number, entry: Uint8Array): void {
    const used = this.#used + entry.length;
    if (used > this.#bytes.length) this.#bytes = grown(this.#bytes, new Uint8Array(Math.ceil(used * GROWTH)));
    if (this.#length === this.#documents.length) {
      const room = Math.ceil((this.#length + 1) * GROWTH);
      this.#documents = grown(this.#documents, new Float64Array(room));
      this.#states = grown(this.#states, new Uint8Array(room));
    }
    this.#bytes.set(entry, this.#used);
    this.#documents[this.#length] = document;
    this.#states[this.#length] = ENTRY_CANDIDATE;
    this.#used = used;
    this.#length += 1;
  }
}

function grown<T extends Uint8Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

export const candidates = (length: number): Uint8Array => new Uint8Array(length).fill(ENTRY_CANDIDATE);

/** Marks a document's entry as skipped. @returns its size in bytes; 0: there was none */
function skip({ bytes, documents, states }: ScanSlice, document: number): number {
  let i = documents.indexOf(document);
  while (i !== -1 && states[i] === ENTRY_SKIPPED) i = documents.indexOf(document, i + 1);
  if (i === -1) return 0;
  states[i] = ENTRY_SKIPPED;
  let at = 0;
  for (let before = 0; before < i; before++) at += entryBytes(bytes, at);
  return entryBytes(bytes, at);
}

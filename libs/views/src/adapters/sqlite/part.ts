import { ENTRY_CANDIDATE, ENTRY_SKIPPED, entryBytes } from '#search';
import { type EntrySlice, type FoundEntry, isForeign } from './entries.ts';

/** Beside its bytes, an entry has the number of its document, its start and its state. */
const BYTES_PER_ENTRY = 8 + 4 + 1;
/** What the objects of one part take, about. */
const BYTES_PER_PART = 1024;
/** Starts are kept in 32 bits. */
export const LARGEST_PART = 2 ** 32 - 1;
/** A part that has to grow takes room for more growth along. */
const GROWTH = 1.25;
/** A part of which more is dead than this is packed. */
const DEAD_SHARE = 0.25;

/** The entries of one kind of one partition in memory, laid out for the scanner; what died lies in between for a while. */
export class ResidentPart {
  /** Place in `entry_log` up to which this is what the tables hold. */
  reflects: number;
  #bytes: Uint8Array;
  #used = 0;
  #dead = 0;
  #documents: Float64Array;
  #starts: Uint32Array;
  #states: Uint8Array;
  #length = 0;
  /** Vector spaces of the vectors in it. */
  readonly #spaces = new Set<number>();
  /** The space beside which vectors of others were left out; null: none were. */
  #strippedFor: number | null = null;

  /**
   * @param slices every entry of it
   * @param buffer with room for the bytes of all; becomes the part's own
   * @param space for which the slices were read
   */
  constructor(slices: Iterable<EntrySlice>, buffer: Uint8Array, reflects: number, space: number | null) {
    this.reflects = reflects;
    this.#bytes = buffer;
    const documents: Float64Array[] = [];
    for (const slice of slices) {
      this.#bytes.set(slice.bytes, this.#used);
      this.#used += slice.bytes.length;
      this.#length += slice.documents.length;
      documents.push(slice.documents);
      this.#note(slice.spaces, slice.stripped, space);
    }
    this.#documents = joined(documents, this.#length);
    this.#starts = startsOf(this.#bytes, this.#length);
    this.#states = new Uint8Array(this.#length).fill(ENTRY_CANDIDATE);
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

  /** The buffer that its entries lie in, for another part once this one is gone. */
  get buffer(): Uint8Array {
    return this.#bytes;
  }

  /** Bytes of memory that it takes. */
  get size(): number {
    return partSize(this.#documents.length, this.#bytes.length);
  }

  /** Whether a question of this space finds every vector in it that it may be compared with, and no other. */
  serves(space: number | null): boolean {
    if (space !== null && this.#strippedFor !== null && space !== this.#strippedFor) return false;
    return !isForeign(this.#spaces, space);
  }

  /**
   * Puts a document's present entry in the place of what stood here.
   * @param found null: it has none any more
   * @param space for which the entry was read
   */
  replace(document: number, found: FoundEntry | null, space: number | null): void {
    this.#remove(document);
    if (found === null) return;
    this.#reserve(found.entry.length);
    this.#bytes.set(found.entry, this.#used);
    this.#documents[this.#length] = document;
    this.#starts[this.#length] = this.#used;
    this.#states[this.#length] = ENTRY_CANDIDATE;
    this.#used += found.entry.length;
    this.#length += 1;
    this.#note([found.space], found.stripped, space);
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

  #note(spaces: readonly number[], stripped: boolean, space: number | null): void {
    for (const one of spaces) this.#spaces.add(one);
    if (stripped) this.#strippedFor = space;
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

function joined(parts: readonly Float64Array[], length: number): Float64Array {
  const all = new Float64Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
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

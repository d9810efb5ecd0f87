import { entryBytes, unitsOf } from './codec.ts';
import { ENTRY, ENTRY_HEADER_BYTES, QUAD_BYTES, UNIT, UNIT_HEADER_BYTES, vectorBytesAt } from './layout.ts';

const TERMS_PER_QUAD = 4;
/** Slots of the table for each term, so that nearly every search of it ends at its first slot. */
const SLOTS_PER_TERM = 8;

/** Counts the units that hold each of some terms, in entries of any number of documents. */
export class TermFrequencies {
  /** In the order of the terms. */
  readonly counts: Uint32Array;
  readonly #keys: Uint32Array;
  readonly #places: Uint32Array;
  readonly #mask: number;

  /** @param terms distinct hashes, none of them 0 */
  constructor(terms: readonly number[]) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(2, terms.length * SLOTS_PER_TERM)));
    this.counts = new Uint32Array(terms.length);
    this.#keys = new Uint32Array(slots);
    this.#places = new Uint32Array(slots);
    this.#mask = slots - 1;
    for (const [place, term] of terms.entries()) {
      const slot = this.#slotOf(term);
      this.#keys[slot] = term;
      this.#places[slot] = place;
    }
  }

  /**
   * Adds entries that follow each other.
   * @param isCounted by the number of an entry
   * @throws DamagedEntryError
   */
  add(bytes: Uint8Array, entries: number, isCounted: (entry: number) => boolean): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0;
    for (let entry = 0; entry < entries; entry++) {
      const length = entryBytes(bytes, at);
      if (isCounted(entry)) this.#addEntry(view, at, unitsOf(bytes, at));
      at += length;
    }
  }

  #addEntry(view: DataView, entry: number, units: number): void {
    const dimensions = view.getUint32(entry + ENTRY.dimensions, true);
    let at = entry + ENTRY_HEADER_BYTES + view.getUint32(entry + ENTRY.quads, true) * QUAD_BYTES;
    for (let left = units; left > 0; left--) {
      const quads = view.getUint32(at + UNIT.quads, true);
      const vectors = view.getUint8(at + UNIT.vectors);
      const words = at + UNIT_HEADER_BYTES;
      for (let i = 0; i < quads * TERMS_PER_QUAD; i++) this.#count(view.getUint32(words + i * 4, true));
      at = words + quads * QUAD_BYTES;
      at += vectorBytesAt(view, at, vectors, dimensions);
    }
  }

  #count(term: number): void {
    const slot = this.#slotOf(term);
    if (term === 0 || this.#keys[slot] !== term) return;
    const place = this.#places[slot] as number;
    this.counts[place] = (this.counts[place] as number) + 1;
  }

  /** Returns the slot of a term, or the free one where it belongs. */
  #slotOf(term: number): number {
    let slot = term & this.#mask;
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== term) slot = (slot + 1) & this.#mask;
    return slot;
  }
}

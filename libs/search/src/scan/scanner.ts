import { entryBytes, unitsOf } from '../entries/codec.ts';
import { ScanKernel } from '../kernel/scan-kernel.ts';
import type { PreparedQuery } from './query.ts';
import { type RankedUnit, Ranking, type RankOptions } from './rank.ts';
import { recordBytes } from './records.ts';

/** What an entry of `addMany` is to the question. */
export const ENTRY_SKIPPED = 0;
export const ENTRY_COUNTED = 1;
export const ENTRY_CANDIDATE = 2;

/**
 * Searches index entries exactly: every unit of every entry is scored on every leg. One per thread, used again for each
 * question: `begin`, any number of `add` and `addMany`, `finish`. What is not added has no influence on any score.
 */
export class Scanner {
  readonly #kernel = new ScanKernel();
  #query: PreparedQuery | null = null;
  #slots: number[] = [];
  #candidates: boolean[] = [];
  /** Of the batch that is being filled. */
  #bytes = 0;
  #records = 0;

  begin(query: PreparedQuery): void {
    this.#query = query;
    this.#slots = [];
    this.#candidates = [];
    this.#bytes = 0;
    this.#records = 0;
    const hashes = query.terms.map(({ hash }) => hash);
    this.#kernel.begin(hashes, query.vector, query.scale, recordBytes(hashes.length));
  }

  /**
   * @param slot the caller's number of the document, at least 0
   * @param entry one encoded entry; copied
   * @param candidate false: its words count in the statistics, but its units are no results (filters, docId)
   * @throws Error if it is no entry of this version
   */
  add(slot: number, entry: Uint8Array, candidate: boolean): void {
    this.#copy(entry, 0, entryBytes(entry, 0), unitsOf(entry, 0) + 1);
    this.#slots.push(slot);
    this.#candidates.push(candidate);
  }

  /**
   * Many entries at once: the fast way for what is resident.
   * @param entries encoded entries, one directly after another; copied
   * @param slots one per entry
   * @param states one per entry: ENTRY_SKIPPED (as if it were not there), ENTRY_COUNTED, ENTRY_CANDIDATE
   */
  addMany(entries: Uint8Array, slots: ArrayLike<number>, states: ArrayLike<number>): void {
    let from = 0;
    let at = 0;
    let records = 0;
    for (let i = 0; i < slots.length; i++) {
      const bytes = entryBytes(entries, at);
      const skipped = states[i] === ENTRY_SKIPPED;
      // Neighbours are copied together, up to what one batch still takes.
      if (at > from && (skipped || at + bytes - from > this.#kernel.batchBytes - this.#bytes)) {
        this.#copy(entries, from, at, records);
        from = at;
        records = 0;
      }
      at += bytes;
      if (skipped) {
        from = at;
        continue;
      }
      records += unitsOf(entries, at - bytes) + 1;
      this.#slots.push(slots[i] as number);
      this.#candidates.push(states[i] === ENTRY_CANDIDATE);
    }
    if (at > from) this.#copy(entries, from, at, records);
  }

  /** Ranks everything added since `begin`. May be asked more than once. */
  finish(options: RankOptions): RankedUnit[] {
    if (this.#query === null) throw new Error('Scanner.finish before begin');
    this.#flush();
    const { memory, recordsAt, records } = this.#kernel;
    const bytes = recordBytes(this.#query.terms.length);
    return new Ranking(
      this.#query,
      {
        uint32: new Uint32Array(memory, recordsAt, (records * bytes) / 4),
        float32: new Float32Array(memory, recordsAt, (records * bytes) / 4),
        uint8: new Uint8Array(memory, recordsAt, records * bytes),
        bytes,
        length: records,
        slots: this.#slots,
        candidates: this.#candidates,
      },
      options.weights,
    ).best(options);
  }

  #copy(entries: Uint8Array, from: number, to: number, records: number): void {
    const bytes = to - from;
    if (this.#bytes + bytes > this.#kernel.batchBytes) {
      this.#flush();
      if (bytes > this.#kernel.batchBytes) this.#kernel.widenBatch(bytes);
    }
    this.#kernel.load(entries.subarray(from, to), this.#bytes);
    this.#bytes += bytes;
    this.#records += records;
  }

  #flush(): void {
    if (this.#bytes > 0) this.#kernel.scan(this.#bytes, this.#records);
    this.#bytes = 0;
    this.#records = 0;
  }
}

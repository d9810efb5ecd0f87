import { entryBytes, unitsOf } from '../entries/codec.ts';
import { ScanKernel } from '../kernel/scan-kernel.ts';
import { blankRecords } from './blank-records.ts';
import { joinTerms } from './join-terms.ts';
import type { PreparedQuery } from './query.ts';
import { type RankedUnit, Ranking, type RankOptions } from './rank.ts';
import { recordBytes } from './records.ts';

/** States of an entry in `addMany`. */
export const ENTRY_SKIPPED = 0;
export const ENTRY_COUNTED = 1;
export const ENTRY_CANDIDATE = 2;

/**
 * Searches index entries exactly: scores every unit of every entry on every leg. One per thread, reused for each query:
 * `begin`, any number of `add` and `addMany`, `finish`. Entries that are not added do not influence any score.
 */
export class Scanner {
  readonly #kernel = new ScanKernel();
  #query: PreparedQuery | null = null;
  #slots: number[] = [];
  #candidates: boolean[] = [];
  /** Bytes in the current batch. */
  #bytes = 0;
  #records = 0;
  /** Whether the records count terms and no longer each hash of them. */
  #joined = false;

  begin(query: PreparedQuery): void {
    this.#query = query;
    this.#slots = [];
    this.#candidates = [];
    this.#bytes = 0;
    this.#records = 0;
    this.#joined = false;
    this.#kernel.begin(query.hashes, query, recordBytes(query.hashes.length));
  }

  /**
   * Adds one entry.
   * @param slot the caller's number of the document, at least 0
   * @param entry one encoded entry; copied
   * @param candidate false: the entry counts in the statistics, but its units are not results (filters, docId)
   * @throws Error if it is not an entry of this version
   */
  add(slot: number, entry: Uint8Array, candidate: boolean): void {
    this.#copy(entry, 0, entryBytes(entry, 0), unitsOf(entry, 0) + 1);
    this.#slots.push(slot);
    this.#candidates.push(candidate);
  }

  /**
   * Adds many entries with few copies, for resident segments.
   * @param entries concatenated encoded entries; copied
   * @param slots one per entry
   * @param states one per entry: ENTRY_SKIPPED (not added), ENTRY_COUNTED, ENTRY_CANDIDATE
   */
  addMany(entries: Uint8Array, slots: ArrayLike<number>, states: ArrayLike<number>): void {
    let from = 0;
    let at = 0;
    let records = 0;
    for (let i = 0; i < slots.length; i++) {
      const bytes = entryBytes(entries, at);
      const skipped = states[i] === ENTRY_SKIPPED;
      // Copies adjacent entries together, up to the free space of the batch.
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

  /** Ranks everything added since `begin`. May be called more than once. */
  finish(options: RankOptions): RankedUnit[] {
    if (this.#query === null) throw new Error('Scanner.finish called before begin');
    this.#flush();
    const { memory, recordsAt, records } = this.#kernel;
    const bytes = recordBytes(this.#query.hashes.length);
    const scanned = {
      uint32: new Uint32Array(memory, recordsAt, (records * bytes) / 4),
      float32: new Float32Array(memory, recordsAt, (records * bytes) / 4),
      uint8: new Uint8Array(memory, recordsAt, records * bytes),
      bytes,
      length: records,
      slots: this.#slots,
      candidates: this.#candidates,
    };
    if (!this.#joined) joinTerms(scanned, this.#query);
    this.#joined = true;
    if (options.leftOut) blankRecords(scanned, options.leftOut);
    return new Ranking(this.#query, scanned, options.weights).best(options.limit);
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

import { readFileSync } from 'node:fs';
import { DamagedEntryError } from '../entries/codec.ts';
import type { PreparedQuery } from '../scan/query.ts';

const QUERY_VECTOR_AT = 1024;
const CORE_VECTOR_AT = 32 * 1024;
const ENTRIES_AT = 64 * 1024;
const PAGE_BYTES = 64 * 1024;

interface ScanExports {
  readonly memory: WebAssembly.Memory;
  scan(
    at: number,
    end: number,
    record: number,
    recordBytes: number,
    queryTerms: number,
    dimensions: number,
    scale: number,
    coreScale: number,
  ): number;
}

/** The vectors of a prepared query. */
type KernelVectors = Pick<PreparedQuery, 'vector' | 'scale' | 'core'>;

/** A function, so that only threads that scan compile the module. */
const compile = () => new WebAssembly.Module(readFileSync(new URL('./scan.wasm', import.meta.url)));

/**
 * The WebAssembly kernel and its memory: query, one batch of entries, then the records of all batches. A batch fits into
 * the processor cache.
 */
export class ScanKernel {
  readonly #exports = new WebAssembly.Instance(compile()).exports as unknown as ScanExports;
  #batchBytes = 256 * 1024;
  #records = 0;
  #recordBytes = 0;
  #queryTerms = 0;
  #dimensions = 0;
  #scale = 0;
  #coreScale = 0;
  #bytes = new Uint8Array(this.#exports.memory.buffer);

  constructor() {
    this.#reserve(ENTRIES_AT + this.#batchBytes);
  }

  get batchBytes(): number {
    return this.#batchBytes;
  }

  get memory(): ArrayBuffer {
    return this.#bytes.buffer as ArrayBuffer;
  }

  /** Byte offset of the first record. */
  get recordsAt(): number {
    return ENTRIES_AT + this.#batchBytes;
  }

  get records(): number {
    return this.#records;
  }

  begin(hashes: readonly number[], { vector, scale, core }: KernelVectors, recordBytes: number): void {
    new Uint32Array(this.memory, 0, hashes.length).set(hashes);
    if (vector !== null) new Int16Array(this.memory, QUERY_VECTOR_AT, vector.length).set(vector);
    if (core !== null) new Int16Array(this.memory, CORE_VECTOR_AT, core.vector.length).set(core.vector);
    this.#queryTerms = hashes.length;
    this.#dimensions = vector?.length ?? 0;
    this.#scale = scale;
    this.#coreScale = core?.scale ?? 0;
    this.#recordBytes = recordBytes;
    this.#records = 0;
  }

  /** Copies whole entries into the batch at byte `at`. The caller checks that they fit. */
  load(entries: Uint8Array, at: number): void {
    this.#bytes.set(entries, ENTRIES_AT + at);
  }

  /** Grows the batch for one very large entry and moves the records up. */
  widenBatch(bytes: number): void {
    const from = this.recordsAt;
    const used = this.#records * this.#recordBytes;
    const batchBytes = Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
    this.#reserve(ENTRIES_AT + batchBytes + used);
    this.#bytes.copyWithin(ENTRIES_AT + batchBytes, from, from + used);
    this.#batchBytes = batchBytes;
  }

  /**
   * Scans the first `bytes` bytes of the batch.
   * @param records expected number of records: one per entry and one per unit
   * @throws DamagedEntryError if the number of records differs
   */
  scan(bytes: number, records: number): void {
    const record = this.recordsAt + this.#records * this.#recordBytes;
    this.#reserve(record + records * this.#recordBytes);
    const end = this.#scan(ENTRIES_AT + bytes, record);
    if (end !== record + records * this.#recordBytes) throw new DamagedEntryError('An index entry is damaged');
    this.#records += records;
  }

  #scan(end: number, record: number): number {
    try {
      return this.#exports.scan(
        ENTRIES_AT,
        end,
        record,
        this.#recordBytes,
        this.#queryTerms,
        this.#dimensions,
        this.#scale,
        this.#coreScale,
      );
    } catch (error) {
      // An entry with a wrong length makes the kernel read outside its memory.
      throw new DamagedEntryError('An index entry is damaged', { cause: error });
    }
  }

  #reserve(bytes: number): void {
    const missing = bytes - this.#bytes.length;
    if (missing <= 0) return;
    // Grows by a quarter more than needed, so that a large scan does not grow the memory at every batch.
    this.#exports.memory.grow(Math.ceil((missing + bytes / 4) / PAGE_BYTES));
    this.#bytes = new Uint8Array(this.#exports.memory.buffer);
  }
}

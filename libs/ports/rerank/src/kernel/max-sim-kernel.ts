import { readFileSync } from 'node:fs';

const PASSAGE_AT = 64 * 1024;
const PAGE_BYTES = 64 * 1024;
/** Of one row. Bytes. */
const ROW_BYTES = 64;
/** Of a dot product: both sides are in steps of 1/127. */
const SCALE = 127 * 127;

interface Exports {
  readonly memory: WebAssembly.Memory;
  maxSim(question: number, questionEnd: number, passage: number, passageEnd: number): number;
}

/** The WebAssembly kernel and its memory: the question's tokens, then those of one passage. */
export class MaxSimKernel {
  readonly #exports: Exports;
  #questionBytes = 0;

  constructor() {
    const module = new WebAssembly.Module(readFileSync(new URL('./max-sim.wasm', import.meta.url)));
    this.#exports = new WebAssembly.Instance(module).exports as unknown as Exports;
  }

  /** Sets the question. Of a very long one, the first 1,024 tokens count. @param rows of 64 int8, in steps of 1/127 */
  begin(rows: Int8Array): void {
    const own = rows.subarray(0, PASSAGE_AT);
    new Int8Array(this.#exports.memory.buffer).set(own);
    this.#questionBytes = own.length;
  }

  /**
   * Returns for each token of the question the highest cosine with a token of the passage, averaged; about −1…1. Null: one of
   * them has no tokens.
   * @param parts rows as of the question, which are compared as one passage
   */
  compare(parts: readonly Int8Array[]): number | null {
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    if (bytes === 0 || this.#questionBytes === 0) return null;
    this.#reserve(PASSAGE_AT + bytes);
    const memory = new Int8Array(this.#exports.memory.buffer);
    let at = PASSAGE_AT;
    for (const part of parts) {
      memory.set(part, at);
      at += part.length;
    }
    const sum = this.#exports.maxSim(0, this.#questionBytes, PASSAGE_AT, at);
    return sum / SCALE / (this.#questionBytes / ROW_BYTES);
  }

  #reserve(bytes: number): void {
    const missing = bytes - this.#exports.memory.buffer.byteLength;
    if (missing > 0) this.#exports.memory.grow(Math.ceil(missing / PAGE_BYTES));
  }
}

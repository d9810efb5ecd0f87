/** Sizes are rounded up to an eighth of a power of two, so that a buffer soon fits another part. */
export function roundedUp(bytes: number): number {
  const step = 2 ** Math.max(6, Math.floor(Math.log2(Math.max(1, bytes))) - 3);
  return Math.ceil(bytes / step) * step;
}

/**
 * Large buffers that come and go. Left to the collector, each would lie about for a while after its use, and the process
 * would take a good deal more memory than its budget.
 */
export class BufferPool {
  readonly #most: number;
  readonly #spare: Uint8Array[] = [];
  #bytes = 0;

  /** @param most bytes that it keeps for later */
  constructor(most: number) {
    this.#most = most;
  }

  /** What it keeps for later. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @returns a buffer of `roundedUp(bytes)`, with anything in it */
  take(bytes: number): Uint8Array {
    const capacity = roundedUp(bytes);
    const fitting = this.#spare.findLastIndex(({ length }) => length === capacity);
    const [buffer] = fitting === -1 ? [] : this.#spare.splice(fitting, 1);
    if (buffer === undefined) return new Uint8Array(capacity);
    this.#bytes -= capacity;
    return buffer;
  }

  give(buffer: Uint8Array): void {
    this.#spare.push(buffer);
    this.#bytes += buffer.length;
    while (this.#bytes > this.#most) this.#bytes -= this.#spare.shift()?.length ?? 0;
  }
}

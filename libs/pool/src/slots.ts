interface Waiting {
  readonly order: number;
  readonly begin: () => void;
}

/** How many jobs run at once. All slots but one are open to every job, the last one only to short jobs. */
export class Slots {
  readonly #size: number;
  /** In the order of their calls. */
  readonly #short = new Set<Waiting>();
  readonly #long = new Set<Waiting>();
  #lastOrder = 0;
  #running = 0;
  #runningLong = 0;

  constructor(size: number) {
    if (size < 2) throw new RangeError('A pool needs at least 2 slots: one of them is reserved for short jobs');
    this.#size = size;
  }

  /**
   * Waits for a slot.
   * @returns the function that frees it
   * @throws the reason of the signal
   */
  acquire(isShort: boolean, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const queue = isShort ? this.#short : this.#long;
      const abandon = () => {
        queue.delete(waiting);
        reject(signal.reason);
      };
      const begin = () => {
        queue.delete(waiting);
        signal.removeEventListener('abort', abandon);
        this.#running += 1;
        if (!isShort) this.#runningLong += 1;
        resolve(() => this.#release(isShort));
      };
      this.#lastOrder += 1;
      const waiting: Waiting = { order: this.#lastOrder, begin };
      if (signal.aborted) return abandon();
      signal.addEventListener('abort', abandon, { once: true });
      queue.add(waiting);
      this.#next();
    });
  }

  #release(isShort: boolean): void {
    this.#running -= 1;
    if (!isShort) this.#runningLong -= 1;
    this.#next();
  }

  #next(): void {
    if (this.#running >= this.#size) return;
    const [short] = this.#short;
    const [long] = this.#runningLong < this.#size - 1 ? this.#long : [];
    const isLongFirst = long !== undefined && (short === undefined || long.order < short.order);
    (isLongFirst ? long : short)?.begin();
  }
}

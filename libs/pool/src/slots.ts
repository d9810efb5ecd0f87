interface Waiting {
  readonly order: number;
  readonly ahead: number;
  readonly begin: () => void;
}

/**
 * How many jobs are handed to children. All slots but one are open to every job, the last one only to short jobs. While no
 * job is long, children also get short jobs in advance, if their kind permits it.
 */
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
   * @param ahead short jobs of this kind that a busy child may get in advance
   * @returns the function that frees it
   * @throws the reason of the signal
   */
  acquire(isShort: boolean, ahead: number, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const queue = isShort ? this.#short : this.#long;
      const abandon = () => {
        queue.delete(waiting);
        reject(signal.reason);
        this.#next();
      };
      const begin = () => {
        queue.delete(waiting);
        signal.removeEventListener('abort', abandon);
        this.#running += 1;
        if (!isShort) this.#runningLong += 1;
        resolve(() => this.#release(isShort));
      };
      this.#lastOrder += 1;
      const waiting: Waiting = { order: this.#lastOrder, ahead, begin };
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
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
    for (let next = this.#candidate(); next !== null; next = this.#candidate()) next.begin();
  }

  /** The job that may begin; of two, the one that was called first. */
  #candidate(): Waiting | null {
    const [short = null] = this.#short;
    const [long = null] = this.#long;
    const hasLong = long !== null || this.#runningLong > 0;
    const isFree = this.#running < this.#size;
    const isForLong = long !== null && isFree && this.#runningLong < this.#size - 1;
    const isForShort = short !== null && (isFree || (!hasLong && this.#running < this.#size * (1 + short.ahead)));
    if (isForLong && isForShort) return long.order < short.order ? long : short;
    return isForLong ? long : isForShort ? short : null;
  }
}

interface Waiter {
  /** Woken when the log has grown beyond it. */
  readonly position: number;
  readonly wake: () => void;
}

/** The newest position of a log that this client has been notified of. Subscriptions wait on it instead of polling. */
export class LiveHead {
  readonly #watch: () => Promise<void>;
  #watching: Promise<void> | null = null;
  #head: number | null = null;
  #end: Error | null = null;
  readonly #waiting = new Set<Waiter>();

  /** @param watch asks the store to report every later commit. Default: the store does so unasked. */
  constructor(watch: () => Promise<void> = async () => {}) {
    this.#watch = watch;
  }

  /** Resolves when every later commit will be reported. */
  watch(): Promise<void> {
    this.#watching ??= this.#watch();
    return this.#watching;
  }

  /** Null before the first report. */
  get head(): number | null {
    return this.#head;
  }

  advance(head: number): void {
    this.#head = head;
    for (const { position, wake } of this.#waiting) if (head > position) wake();
  }

  /** Rejects present and later waiters, because the store is closed or lost. */
  end(error: Error): void {
    this.#end = error;
    for (const { wake } of this.#waiting) wake();
  }

  /** Resolves when the log has grown beyond the position, or when the signal aborts. */
  async beyond(position: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#isBeyond(position)) return;
    await new Promise<void>((resolve) => {
      const wake = this.#await(position, () => {
        signal.removeEventListener('abort', wake);
        resolve();
      });
      signal.addEventListener('abort', wake);
    });
    if (!signal.aborted) this.#isBeyond(position);
  }

  /** Resolves with whether the log grows beyond the position in time. */
  async beyondWithin(position: number, milliseconds: number): Promise<boolean> {
    if (this.#isBeyond(position)) return true;
    await new Promise<void>((resolve) => {
      const wake = this.#await(position, () => {
        clearTimeout(timer);
        resolve();
      });
      const timer = setTimeout(wake, milliseconds);
    });
    return this.#isBeyond(position);
  }

  #isBeyond(position: number): boolean {
    if (this.#end) throw this.#end;
    return this.#head !== null && this.#head > position;
  }

  /** Returns a function that ends the wait early. */
  #await(position: number, awake: () => void): () => void {
    const waiter = {
      position,
      wake: () => {
        this.#waiting.delete(waiter);
        awake();
      },
    };
    this.#waiting.add(waiter);
    return waiter.wake;
  }
}

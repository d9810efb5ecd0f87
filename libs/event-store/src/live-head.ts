/**
 * The newest place of a log as far as this client was told, for subscriptions that wait until there is more to read. The
 * store tells it after each commit, so nobody polls.
 */
export class LiveHead<Place extends number | bigint> {
  readonly #watch: () => Promise<void>;
  #watching: Promise<void> | null = null;
  #head: Place | null = null;
  #end: Error | null = null;
  readonly #waiting = new Set<() => void>();

  /** @param watch asks the store to report every commit from then on; left out where it does so unasked */
  constructor(watch: () => Promise<void> = async () => {}) {
    this.#watch = watch;
  }

  /** Resolves when no later commit can go unnoticed. */
  watch(): Promise<void> {
    this.#watching ??= this.#watch();
    return this.#watching;
  }

  /** Null: nothing was told yet. */
  get place(): Place | null {
    return this.#head;
  }

  moved(head: Place): void {
    this.#head = head;
    this.#wake();
  }

  /** The store is gone: everyone who waits, now or later, gets the error. */
  end(error: Error): void {
    this.#end = error;
    this.#wake();
  }

  /** Resolves when the log reaches further than `place`, or when the signal aborts. */
  async beyond(place: Place, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#end) throw this.#end;
      if (this.#head !== null && this.#head > place) return;
      await this.#change(signal);
    }
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done);
    });
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}

interface Waiter<Place> {
  /** Woken when the log reaches further. */
  readonly place: Place;
  readonly wake: () => void;
}

/**
 * The newest place of a log as far as this client was told, for subscriptions that wait until there is more to read. The
 * store tells it after each commit, so nobody polls.
 */
export class LiveHead<Place extends number | bigint> {
  readonly #watch: () => Promise<void>;
  #watching: Promise<void> | null = null;
  #head: Place | null = null;
  #end: Error | null = null;
  readonly #waiting = new Set<Waiter<Place>>();

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
    for (const { place, wake } of this.#waiting) if (head > place) wake();
  }

  /** The store is gone: everyone who waits, now or later, gets the error. */
  end(error: Error): void {
    this.#end = error;
    for (const { wake } of this.#waiting) wake();
  }

  /** Resolves when the log reaches further than `place`, or when the signal aborts. */
  async beyond(place: Place, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#isBeyond(place)) return;
    await new Promise<void>((resolve) => {
      const wake = this.#await(place, () => {
        signal.removeEventListener('abort', wake);
        resolve();
      });
      signal.addEventListener('abort', wake);
    });
    if (!signal.aborted) this.#isBeyond(place);
  }

  /** Resolves with whether the log reaches further than `place` within so many milliseconds. */
  async beyondWithin(place: Place, milliseconds: number): Promise<boolean> {
    if (this.#isBeyond(place)) return true;
    await new Promise<void>((resolve) => {
      const wake = this.#await(place, () => {
        clearTimeout(timer);
        resolve();
      });
      const timer = setTimeout(wake, milliseconds);
    });
    return this.#isBeyond(place);
  }

  #isBeyond(place: Place): boolean {
    if (this.#end) throw this.#end;
    return this.#head !== null && this.#head > place;
  }

  /** @returns what ends the waiting early */
  #await(place: Place, awake: () => void): () => void {
    const waiter = {
      place,
      wake: () => {
        this.#waiting.delete(waiter);
        awake();
      },
    };
    this.#waiting.add(waiter);
    return waiter.wake;
  }
}

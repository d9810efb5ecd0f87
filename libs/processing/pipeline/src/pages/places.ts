/** A number of places of which each is held by one at a time. Those who wait get them in order. */
export class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** Takes a place if one is free. */
  tryTake(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Waits for a place. @throws the reason of the signal, without a place */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.tryTake()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const handOver = () => {
      signal.removeEventListener('abort', abort);
      resolve();
    };
    const abort = () => {
      this.#waiting.splice(this.#waiting.indexOf(handOver), 1);
      reject(signal.reason);
    };
    this.#waiting.push(handOver);
    signal.addEventListener('abort', abort, { once: true });
    await promise;
  }

  free(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

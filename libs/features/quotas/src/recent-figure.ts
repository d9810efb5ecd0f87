const AGAIN_MS = 1_000;
/** A figure that takes long to read is read less often: it costs at most a twentieth of the time. */
const TIMES_AS_LONG = 20;
/** Nobody waits for a figure that is younger. Milliseconds. */
const USABLE_MS = 10_000;

/** A figure that is read about once a second while it is asked for, beside those who ask. */
export class RecentFigure {
  readonly #read: () => Promise<number>;
  #value = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  #pauseMs = AGAIN_MS;
  #reading: Promise<void> | null = null;

  /** @param read while it fails, the figure stays as it was */
  constructor(read: () => Promise<number>) {
    this.#read = read;
  }

  async get(): Promise<number> {
    const age = performance.now() - this.#readAt;
    if (age >= this.#pauseMs) this.#reading ??= this.#readAgain();
    if (age >= USABLE_MS + this.#pauseMs) await this.#reading;
    return this.#value;
  }

  async #readAgain(): Promise<void> {
    const begun = performance.now();
    try {
      this.#value = await this.#read();
    } catch {
      // It is read again soon.
    } finally {
      this.#readAt = performance.now();
      this.#pauseMs = Math.max(AGAIN_MS, TIMES_AS_LONG * (this.#readAt - begun));
      this.#reading = null;
    }
  }
}

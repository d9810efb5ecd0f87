/** Milliseconds. Erasures that follow each other share a checkpoint; a file reader that holds it up is waited out. */
const DELAY = 1000;

/**
 * Empties the write-ahead log soon after an erasure, for it holds the erased words until then. Retries for as long as a
 * reader of the file (a backup) is in the way.
 */
export class WalCleaner {
  readonly #truncate: () => boolean;
  #timer: NodeJS.Timeout | undefined;

  /** @param truncate false: could not, try again */
  constructor(truncate: () => boolean) {
    this.#truncate = truncate;
  }

  request(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!this.#truncate()) this.request();
    }, DELAY);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

import { performance } from 'node:perf_hooks';

/** Milliseconds. */
const BETWEEN_MS = 60_000;

/** Logs one warning a minute at most, because a fault may come back with every question. */
export class SeldomWarnings {
  readonly #logger: { warn(message: string): void };
  /** By the clock of `performance`. */
  #next = 0;

  constructor(logger: { warn(message: string): void }) {
    this.#logger = logger;
  }

  warn(message: string): void {
    if (performance.now() < this.#next) return;
    this.#next = performance.now() + BETWEEN_MS;
    this.#logger.warn(message);
  }
}

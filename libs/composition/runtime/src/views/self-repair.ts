import { setTimeout as pause } from 'node:timers/promises';

/** Damage that comes back at once is the disk's, and a rebuild takes a core for its time: not more often than this. */
const REPAIR_EVERY_MS = 60_000;

export interface SelfRepairOptions {
  readonly logger: { error(message: string, cause?: unknown): void };
  /** Ends all attempts. */
  readonly signal: AbortSignal;
  /** Grows whenever other views take the place of the damaged ones. */
  generation(): number;
  rebuild(signal: AbortSignal): Promise<unknown>;
}

/** Rebuilds damaged views from the log, until others have taken their place. */
export class SelfRepair {
  readonly #options: SelfRepairOptions;
  #running: Promise<void> | null = null;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(options: SelfRepairOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Resolves when other views have taken the place of the damaged ones, or the signal aborts. */
  run(damage: string): Promise<void> {
    if (this.#options.signal.aborted) return Promise.resolve();
    this.#running ??= this.#repair(damage).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async ended(): Promise<void> {
    await this.#running;
  }

  async #repair(damage: string): Promise<void> {
    const { logger, signal, generation, rebuild } = this.#options;
    const damaged = generation();
    const isDue = () => !signal.aborted && generation() === damaged;
    logger.error(`the views are damaged and are rebuilt from the log: ${damage}`);
    while (isDue()) {
      const wait = this.#lastAt + REPAIR_EVERY_MS - performance.now();
      if (wait > 0) await pause(wait, undefined, { signal }).catch(() => undefined);
      this.#lastAt = performance.now();
      try {
        if (isDue()) await rebuild(signal);
      } catch (error) {
        logger.error(`the damaged views could not be rebuilt yet: ${String(error)}`, error);
      }
    }
  }
}

import type { EventStore, Position } from '#event-store';
import type { ViewsProgress } from '#views';
import { Waiters } from './waiters.ts';

export interface PolledProgressOptions {
  readonly compare: EventStore['compare'];
  /** Asks the views for their checkpoint. */
  readonly checkpoint: () => Promise<Position | null>;
  /** Milliseconds between an answer and the next question; grows while nothing moves. Default: 25. */
  readonly everyMs?: number;
}

const EVERY_MS = 25;
/** Upper bound of the pause, which is a 20th of the time for which the checkpoint has not moved. */
const RARELY_MS = 1_000;
const SHARE = 20;

/**
 * Progress of views that another process writes: their checkpoint is polled while a call waits. Views that do not answer
 * count as not there yet.
 */
export class PolledProgress implements ViewsProgress {
  readonly #options: PolledProgressOptions;
  readonly #waiters: Waiters;
  #polling = false;
  #asking: Promise<Position | null> | null = null;

  constructor(options: PolledProgressOptions) {
    this.#options = options;
    this.#waiters = new Waiters(options.compare);
  }

  async reached(position: Position | null, timeoutMs: number): Promise<boolean> {
    if (position === null) return true;
    if (timeoutMs === 0) return this.#waiters.covers(await this.#ask(), position);
    const reached = this.#waiters.wait(position, timeoutMs);
    void this.#poll();
    return reached;
  }

  /** Ends all waits with false. */
  close(): void {
    this.#waiters.end();
  }

  async #poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    let [last, movedAt] = [null as Position | null, performance.now()];
    while (this.#waiters.size > 0) {
      const at = await this.#ask();
      if (at !== last) [last, movedAt] = [at, performance.now()];
      this.#waiters.arrived(at);
      const still = (performance.now() - movedAt) / SHARE;
      const wait = Math.max(this.#options.everyMs ?? EVERY_MS, Math.min(still, RARELY_MS));
      if (this.#waiters.size > 0) await new Promise((next) => setTimeout(next, wait));
    }
    this.#polling = false;
  }

  /** One question at a time serves all waits: a later checkpoint is never before an earlier one. */
  #ask(): Promise<Position | null> {
    this.#asking ??= this.#options
      .checkpoint()
      .catch(() => null)
      .finally(() => {
        this.#asking = null;
      });
    return this.#asking;
  }
}

import type { EventStore, Position } from '#event-store';
import type { ViewsProgress } from '#views';
import { Waiters } from './waiters.ts';

export interface PolledProgressOptions {
  readonly compare: EventStore['compare'];
  /** Asks the views for their checkpoint. */
  readonly checkpoint: () => Promise<Position | null>;
  /** Milliseconds between one answer and the next question; 25 unless told. More while nothing moves. */
  readonly everyMs?: number;
}

const EVERY_MS = 25;
/** The longer the views have stood still, the less often they are asked: after a 20th of that time, up to this. */
const RARELY_MS = 1_000;
const SHARE = 20;

/**
 * How far views are that another process writes: their checkpoint is asked for, as long as somebody waits and no longer.
 * Views that cannot be asked count as not there yet.
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

  /** Whoever waits is told that the views have not got there. */
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

  /** One question at a time serves all who ask meanwhile: views that move on hold at least as much as is answered. */
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

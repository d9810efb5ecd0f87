import type { EventStore, Position } from '#event-store';
import type { ViewsProgress } from '#views';
import { Waiters } from './waiters.ts';

export interface PolledProgressOptions {
  readonly compare: EventStore['compare'];
  /** Asks the views for their checkpoint. */
  readonly checkpoint: () => Promise<Position | null>;
  /** Milliseconds between one answer and the next question; 25 unless told. */
  readonly everyMs?: number;
}

const EVERY_MS = 25;

/**
 * How far views are that another process writes: their checkpoint is asked for, as long as somebody waits and no longer.
 * Views that cannot be asked count as not there yet.
 */
export class PolledProgress implements ViewsProgress {
  readonly #options: PolledProgressOptions;
  readonly #waiters: Waiters;
  #polling = false;

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

  async #poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    while (this.#waiters.size > 0) {
      this.#waiters.arrived(await this.#ask());
      if (this.#waiters.size > 0) await new Promise((next) => setTimeout(next, this.#options.everyMs ?? EVERY_MS));
    }
    this.#polling = false;
  }

  #ask(): Promise<Position | null> {
    return this.#options.checkpoint().catch(() => null);
  }
}

import type { EventStore, Position } from '#ports/event-store';
import type { ViewsProgress, ViewsState } from '#read-side/views';
import { Waiters } from './waiters.ts';

type Units = Parameters<ViewsProgress['reached']>[2];

export interface PolledProgressOptions {
  readonly compare: EventStore['compare'];
  /** Asks the views how far they are. */
  readonly ask: () => Promise<ViewsState>;
  /** Milliseconds between an answer and the next question; grows while nothing moves. Default: 25. */
  readonly everyMs?: number;
}

const EVERY_MS = 25;
/** Upper bound of the pause, which is a 20th of the time for which the views have not moved. */
const RARELY_MS = 1_000;
const SHARE = 20;

/**
 * Progress of views that another process writes: they are asked while a call waits. Views that do not answer count as not
 * there yet.
 */
export class PolledProgress implements ViewsProgress {
  readonly #options: PolledProgressOptions;
  readonly #waiters = new Waiters<{ readonly position: Position | null; readonly units: Units }>();
  #polling = false;
  /** When the views moved last, or a wait began. */
  #movedAt = 0;
  #wake = () => {};
  #asking: Promise<ViewsState | null> | null = null;

  constructor(options: PolledProgressOptions) {
    this.#options = options;
  }

  async reached(position: Position | null, timeoutMs: number, units?: Units): Promise<boolean> {
    if (position === null) return true;
    if (timeoutMs === 0) return this.#holds(await this.#ask(), position, units);
    const reached = this.#waiters.wait({ position, units }, timeoutMs);
    this.#movedAt = performance.now();
    this.#wake();
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
    let last: Position | null = null;
    while (this.#waiters.size > 0) {
      const state = await this.#ask();
      const at = state?.beyond?.position ?? state?.checkpoint ?? null;
      if (at !== last) [last, this.#movedAt] = [at, performance.now()];
      this.#waiters.release(({ position, units }) => this.#holds(state, position, units));
      if (this.#waiters.size > 0) await this.#pause();
    }
    this.#polling = false;
  }

  /** Ends early when another wait begins while it is a long one. */
  async #pause(): Promise<void> {
    const { everyMs = EVERY_MS } = this.#options;
    const still = (performance.now() - this.#movedAt) / SHARE;
    const wait = Math.max(everyMs, Math.min(still, RARELY_MS));
    await new Promise<void>((next) => {
      const timer = setTimeout(next, wait);
      if (wait <= 2 * everyMs) return;
      this.#wake = () => {
        clearTimeout(timer);
        next();
      };
    });
    this.#wake = () => {};
  }

  #holds(state: ViewsState | null, position: Position | null, units: Units): boolean {
    if (state === null) return position === null;
    const { checkpoint, beyond } = state;
    if (this.#covers(checkpoint, position)) {
      if (beyond === null || units === undefined || this.#covers(checkpoint, beyond.position)) return true;
    } else if (beyond === null || !this.#covers(beyond.position, position)) return false;
    return units === undefined || !beyond.lacks(units === 'all' ? 'any' : units);
  }

  #covers(at: Position | null, wanted: Position | null): boolean {
    return wanted === null || (at !== null && this.#options.compare(at, wanted) >= 0);
  }

  /** One question at a time serves all waits: a later state is never before an earlier one. */
  #ask(): Promise<ViewsState | null> {
    this.#asking ??= this.#options
      .ask()
      .catch(() => null)
      .finally(() => {
        this.#asking = null;
      });
    return this.#asking;
  }
}

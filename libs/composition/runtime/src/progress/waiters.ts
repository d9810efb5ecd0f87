import type { EventStore, Position } from '#ports/event-store';

interface Waiter {
  readonly position: Position | null;
  readonly done: (reached: boolean) => void;
}

/** Calls that wait until the views have reached a position. */
export class Waiters {
  readonly #compare: EventStore['compare'];
  readonly #waiting = new Set<Waiter>();

  constructor(compare: EventStore['compare']) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Whether views at `at` hold everything up to `wanted`. */
  covers(at: Position | null, wanted: Position | null): boolean {
    return wanted === null || (at !== null && this.#compare(at, wanted) >= 0);
  }

  /** Resolves with false if the views did not get there in time. */
  wait(position: Position | null, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (reached: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
        resolve(reached);
      };
      const waiter: Waiter = { position, done };
      const timer = setTimeout(done, timeoutMs, false);
      this.#waiting.add(waiter);
    });
  }

  /** Ends all waits with false. */
  end(): void {
    for (const waiter of this.#waiting) waiter.done(false);
  }

  /** Ends the waits for positions up to `at`. */
  arrived(at: Position | null): void {
    for (const waiter of this.#waiting) if (this.covers(at, waiter.position)) waiter.done(true);
  }
}

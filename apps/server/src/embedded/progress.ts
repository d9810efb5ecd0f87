import type { ViewsProgress } from '#application';
import type { EventStore, Position } from '#event-store';

interface Waiter {
  readonly position: Position;
  readonly done: (reached: boolean) => void;
}

/** How far the views are behind the log, as the projection reports it. */
export class ReportedProgress implements ViewsProgress {
  readonly #compare: EventStore['compare'];
  readonly #waiters = new Set<Waiter>();
  #position: Position | null;

  constructor(compare: EventStore['compare'], position: Position | null) {
    this.#compare = compare;
    this.#position = position;
  }

  report(position: Position): void {
    this.#position = position;
    for (const waiter of this.#waiters) if (this.has(waiter.position)) waiter.done(true);
  }

  /** True when the views hold everything up to the position. */
  has(position: Position | null): boolean {
    if (position === null) return true;
    return this.#position !== null && this.#compare(this.#position, position) >= 0;
  }

  reached(position: Position | null, timeoutMs: number): Promise<boolean> {
    if (position === null || this.has(position)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const done = (reached: boolean) => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        resolve(reached);
      };
      const waiter: Waiter = { position, done };
      const timer = setTimeout(done, timeoutMs, false);
      this.#waiters.add(waiter);
    });
  }
}

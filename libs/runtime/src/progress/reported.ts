import type { EventStore, Position } from '#event-store';
import type { ViewsProgress } from '#views';
import { Waiters } from './waiters.ts';

/** How far the views are behind the log, as a projection of this process reports it. */
export class ReportedProgress implements ViewsProgress {
  readonly #waiters: Waiters;
  #position: Position | null;

  constructor(compare: EventStore['compare'], position: Position | null) {
    this.#waiters = new Waiters(compare);
    this.#position = position;
  }

  report(position: Position | null): void {
    this.#position = position;
    this.#waiters.arrived(position);
  }

  /** Ends all waits with false. */
  close(): void {
    this.#waiters.end();
  }

  async reached(position: Position | null, timeoutMs: number): Promise<boolean> {
    if (this.#waiters.covers(this.#position, position)) return true;
    return timeoutMs === 0 ? false : this.#waiters.wait(position, timeoutMs);
  }
}

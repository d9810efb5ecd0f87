import type { EventStore, Position } from '#event-store';
import type { ViewsProgress } from '#views';
import { Waiters } from './waiters.ts';

/** How far the views are behind the log, as a projection of this process reports it. */
export class ReportedProgress implements ViewsProgress {
  readonly #waiters: Waiters;
  #position: Position | null;
  #interruption: Promise<unknown> | null = null;

  constructor(compare: EventStore['compare'], position: Position | null) {
    this.#waiters = new Waiters(compare);
    this.#position = position;
  }

  report(position: Position | null): void {
    this.#position = position;
    this.#waiters.arrived(position);
  }

  /** Nothing follows the log until `ended` settles: the time of waits counts from then on. */
  interrupted(ended: Promise<unknown>): void {
    this.#interruption = ended;
  }

  /** Ends all waits with false. */
  close(): void {
    this.#waiters.end();
  }

  async reached(position: Position | null, timeoutMs: number): Promise<boolean> {
    if (timeoutMs === 0) return this.#waiters.covers(this.#position, position);
    for (;;) {
      const before = this.#interruption;
      await before?.catch(() => undefined);
      if (await this.arrives(position, timeoutMs)) return true;
      if (this.#interruption === before) return false;
    }
  }

  /** As `reached`, also during an interruption. */
  async arrives(position: Position | null, timeoutMs: number): Promise<boolean> {
    return this.#waiters.covers(this.#position, position) || this.#waiters.wait(position, timeoutMs);
  }
}

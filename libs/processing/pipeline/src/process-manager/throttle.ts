import { performance } from 'node:perf_hooks';
import type { Load } from '../load.ts';

const TICK_MS = 50;
/** Share of its time that the event loop works, above which it counts as busy. */
const BUSY = 0.6;
/** Documents started per tick while requests come in and the loop is busy: 260 a second. */
const STARTED_WHEN_BUSY = 13;

/**
 * Yields to requests: while adds come in faster than the process can serve them and the pipeline together, only a bounded
 * number of documents is started. Without requests, or with time to spare, there is no bound.
 */
export class Throttle {
  readonly #load: Load;
  #left = Number.POSITIVE_INFINITY;
  #last = performance.eventLoopUtilization();
  #timer: NodeJS.Timeout | null = null;

  constructor(load: Load) {
    this.#load = load;
  }

  /** @param onTick called after each tick, when more documents may be started */
  start(onTick: () => void): void {
    this.#timer = setInterval(() => {
      this.#tick();
      onTick();
    }, TICK_MS);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** Whether one more document may be started now; counts it if so. */
  admit(): boolean {
    if (this.#left <= 0) return false;
    this.#left -= 1;
    return true;
  }

  #tick(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#last);
    this.#left = this.#load.takeRequests() && utilization > BUSY ? STARTED_WHEN_BUSY : Number.POSITIVE_INFINITY;
    this.#last = now;
  }
}

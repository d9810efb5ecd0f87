import { performance } from 'node:perf_hooks';

const TICK_MS = 50;
/** Share of its time that the event loop works, from which on it counts as busy. */
const BUSY = 0.6;
/** Documents begun per tick while requests come in and the loop is busy: 260 a second. */
const BEGUN_WHEN_BUSY = 13;

/**
 * Requests first: while adds come in faster than the process can serve them and the pipeline together, only a bounded
 * number of documents is begun. Without requests, or with time to spare, there is no bound.
 */
export class Pace {
  #requests = 0;
  #left = Number.POSITIVE_INFINITY;
  #last = performance.eventLoopUtilization();
  #timer: NodeJS.Timeout | null = null;

  /** @param onTick called after each tick, when more may be begun again */
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

  /** A request came in. */
  requested(): void {
    this.#requests += 1;
  }

  /** Whether one more document may be begun now; counts it if so. */
  begin(): boolean {
    if (this.#left <= 0) return false;
    this.#left -= 1;
    return true;
  }

  #tick(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#last);
    this.#left = this.#requests > 0 && utilization > BUSY ? BEGUN_WHEN_BUSY : Number.POSITIVE_INFINITY;
    this.#last = now;
    this.#requests = 0;
  }
}

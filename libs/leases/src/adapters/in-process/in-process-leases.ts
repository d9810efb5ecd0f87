import { type Clock, systemClock } from '#kernel';
import { nextFencingToken } from '../../fencing-token.ts';
import type { HoldOptions, Leases } from '../../port.ts';

/** Leases inside a single process, granted in the order of the calls. */
export class InProcessLeases implements Leases {
  readonly #clock: Clock;
  readonly #last = new Map<string, Promise<void>>();
  #fencingToken = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  async hold(name: string, { signal, run }: HoldOptions): Promise<void> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#last.set(
      name,
      before.then(() => ended),
    );
    try {
      await Promise.race([before, aborted(signal)]);
      if (signal.aborted) return;
      this.#fencingToken = nextFencingToken(this.#fencingToken, this.#clock);
      await run({ fencingToken: this.#fencingToken, signal });
    } finally {
      end();
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener('abort', () => resolve(), { once: true });
  return promise;
}

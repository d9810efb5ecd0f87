import { type Clock, systemClock } from '#kernel';
import { epochAfter } from '../../epochs.ts';
import type { Holding, Leases } from '../../port.ts';

/** For a single process: whoever comes first holds a lease for as long as he likes. */
export class InProcessLeases implements Leases {
  readonly #clock: Clock;
  readonly #last = new Map<string, Promise<void>>();
  #epoch = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  async hold(name: string, { signal, run }: Holding): Promise<void> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#last.set(
      name,
      before.then(() => ended),
    );
    try {
      await Promise.race([before, aborted(signal)]);
      if (signal.aborted) return;
      this.#epoch = epochAfter(this.#epoch, this.#clock);
      await run({ epoch: this.#epoch, signal });
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

import { type Clock, systemClock } from '#platform/kernel';
import { nextFencingToken } from '../../fencing-token.ts';
import type { HoldOptions, Leases } from '../../port.ts';

/** One lease. */
interface Turns {
  /** Aborts the present holder's lease. Null: it is free. */
  holder: AbortController | null;
  /** Calls that wait, in the order in which they get the lease. */
  readonly waiting: ((granted: AbortController) => void)[];
}

/** Leases inside a single process, granted in the order of the calls. */
export class InProcessLeases implements Leases {
  readonly #clock: Clock;
  readonly #leases = new Map<string, Turns>();
  #fencingToken = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  async hold(name: string, { signal, run, takeOver = false }: HoldOptions): Promise<void> {
    const turns = this.#leases.get(name) ?? { holder: null, waiting: [] };
    this.#leases.set(name, turns);
    for (;;) {
      const yielding = await acquire(turns, signal, takeOver);
      if (yielding === null) return;
      try {
        this.#fencingToken = nextFencingToken(this.#fencingToken, this.#clock);
        await run({ fencingToken: this.#fencingToken, signal: AbortSignal.any([signal, yielding.signal]) });
        if (!yielding.signal.aborted) return;
      } catch (error) {
        if (!yielding.signal.aborted) throw error;
      } finally {
        passOn(turns);
      }
    }
  }
}

/** Returns what aborts when another call takes over. Null: the signal aborted before. */
async function acquire(turns: Turns, signal: AbortSignal, takeOver: boolean): Promise<AbortController | null> {
  if (signal.aborted) return null;
  const { promise: granted, resolve: grant } = Promise.withResolvers<AbortController | null>();
  const giveUp = () => {
    const at = turns.waiting.indexOf(grant);
    if (at >= 0) turns.waiting.splice(at, 1);
    grant(null);
  };
  signal.addEventListener('abort', giveUp, { once: true });
  if (takeOver) {
    turns.waiting.unshift(grant);
    turns.holder?.abort();
  } else turns.waiting.push(grant);
  if (turns.holder === null) passOn(turns);
  const yielding = await granted;
  signal.removeEventListener('abort', giveUp);
  if (yielding === null || !signal.aborted) return yielding;
  passOn(turns);
  return null;
}

function passOn(turns: Turns): void {
  const next = turns.waiting.shift();
  turns.holder = next === undefined ? null : new AbortController();
  if (turns.holder !== null) next?.(turns.holder);
}

import { mnemeError, systemClock } from '#platform/kernel';
import { openLeases } from '../bus.ts';
import type { Storage } from '../storage/open-storage.ts';

/** The views are being rebuilt already, here or in another process. */
class RebuildRunningError extends mnemeError('transient', 'rebuild_running') {}

/** The rebuild lease was lost; the serving views stay. */
class RebuildLostError extends mnemeError('fenced', 'rebuild_lost') {}

/** Milliseconds. Longer than the lease of a killed process lasts. */
const PATIENCE_MS = 8_000;

/** Allows one rebuild of the views at a time, among all processes that share them. */
export class OneRebuild {
  readonly #storage: Pick<Storage, 'nats' | 'settings'>;
  #running = false;

  constructor(storage: Pick<Storage, 'nats' | 'settings'>) {
    this.#storage = storage;
  }

  /**
   * @param work its signal aborts as the one given does, and before another process may start
   * @returns null: the signal aborted before the work could start
   * @throws RebuildRunningError, RebuildLostError; what `work` throws
   */
  async run<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    if (this.#running) throw new RebuildRunningError('The views are being rebuilt already');
    this.#running = true;
    try {
      // Without NATS this process alone owns the data folder, and so the views.
      return await (this.#storage.nats === null ? work(signal) : this.#leased(signal, work));
    } finally {
      this.#running = false;
    }
  }

  async #leased<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const leases = await openLeases(this.#storage, systemClock);
    const enough = new AbortController();
    const tooLong = setTimeout(() => enough.abort(), PATIENCE_MS);
    const outcome: { result: Promise<T> | null; lost: boolean } = { result: null, lost: false };
    await leases.hold('rebuild', {
      signal: AbortSignal.any([signal, enough.signal]),
      run: async (held) => {
        clearTimeout(tooLong);
        outcome.result = work(held.signal);
        try {
          await outcome.result;
        } finally {
          outcome.lost = held.signal.aborted && !signal.aborted;
          // A rebuild whose lease was lost is not repeated.
          enough.abort();
        }
      },
    });
    clearTimeout(tooLong);
    if (outcome.lost) throw new RebuildLostError('The rebuild was given up, for NATS was away; begin it again');
    if (outcome.result !== null || signal.aborted) return outcome.result;
    throw new RebuildRunningError('The views are being rebuilt already, by another process');
  }
}

import { systemClock } from '#kernel';
import { openLeases } from '../bus.ts';
import type { Storage } from '../storage/open-storage.ts';

/** The views are being rebuilt already, here or in another process. */
export class RebuildRunningError extends Error {
  override readonly name = 'RebuildRunningError';
}

/** It could not be told any longer that nobody else rebuilds the views; the serving ones stay. */
export class RebuildLostError extends Error {
  override readonly name = 'RebuildLostError';
}

/** Longer than it takes until one that was killed counts as gone. */
const PATIENCE_MS = 8_000;

/** One rebuild of the views at a time, among all processes that share them. */
export class OneRebuild {
  readonly #storage: Pick<Storage, 'nats' | 'settings'>;
  #running = false;

  constructor(storage: Pick<Storage, 'nats' | 'settings'>) {
    this.#storage = storage;
  }

  /**
   * @param work its signal aborts as the one given does, and before another process may begin
   * @returns null: the signal aborted before it could begin
   * @throws RebuildRunningError, RebuildLostError; what `work` throws
   */
  async run<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    if (this.#running) throw new RebuildRunningError('The views are being rebuilt already');
    this.#running = true;
    try {
      // Without NATS the data folder, and so the views, belong to this process alone.
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
          // One that was lost is not begun again.
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

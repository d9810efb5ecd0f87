import { setTimeout as pause } from 'node:timers/promises';
import { FetchFailedError } from '#platform/fetch';
import { hasCode, isTransient } from '#platform/kernel';
import { SourceBusyError } from '#ports/connectors';
import type { SyncTiming } from './options.ts';

/** Failed attempts in a row after which a call is given up. */
export const ATTEMPTS = 6;

/** Whether the same call may succeed later. */
export const isPassing = (error: unknown): boolean =>
  error instanceof SourceBusyError ||
  (error instanceof FetchFailedError && error.isTemporary) ||
  isTransient(error) ||
  hasCode(error, 'quota_exceeded');

/** Whether a source has failed; otherwise something here has, which is waited for without limit. */
const isOfSource = (error: unknown): boolean => error instanceof FetchFailedError;

/** Whether something here is away for a while, which says nothing of the source. */
export const isOfHere = (error: unknown): boolean => isTransient(error) && !(error instanceof SourceBusyError);

/** Growing pauses between the attempts of a sync. What one call learns of a busy source counts for all. */
export class Pauses {
  readonly #timing: SyncTiming;
  readonly #signal: AbortSignal;
  #busyUntil = 0;

  constructor(timing: SyncTiming, signal: AbortSignal) {
    this.#timing = timing;
    this.#signal = signal;
  }

  /** Calls until it resolves, or fails for good. @throws what the call throws; the reason of the signal */
  async attempt<T>(call: () => Promise<T>): Promise<T> {
    for (let failed = 1; ; failed += 1) {
      await this.#wait(this.#busyUntil - performance.now());
      try {
        return await call();
      } catch (error) {
        this.#signal.throwIfAborted();
        if (!isPassing(error) || (isOfSource(error) && failed >= ATTEMPTS)) throw error;
        await this.after(error, failed);
      }
    }
  }

  /** Waits after a failed attempt. @param failed how many have failed in a row */
  async after(error: unknown, failed: number): Promise<void> {
    const grown = Math.min(this.#timing.firstPause * 2 ** (failed - 1), this.#timing.longestPause);
    const asked = error instanceof SourceBusyError || error instanceof FetchFailedError ? error.retryAfter : null;
    if (error instanceof SourceBusyError) {
      this.#busyUntil = Math.max(this.#busyUntil, performance.now() + (asked ?? grown));
      return this.#wait(this.#busyUntil - performance.now());
    }
    return this.#wait(asked ?? grown);
  }

  async #wait(milliseconds: number): Promise<void> {
    this.#signal.throwIfAborted();
    if (milliseconds > 0) await pause(milliseconds, undefined, { signal: this.#signal });
  }
}

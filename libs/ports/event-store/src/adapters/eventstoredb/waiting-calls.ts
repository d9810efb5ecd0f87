import { setTimeout as pause } from 'node:timers/promises';
import { unlessAborted } from '#platform/kernel';
import { EventStoreUnreachableError } from '../../errors.ts';
import type { Outage } from './outage.ts';
import { HandlerFailedError, isRetryable, pauseAfter } from './retries.ts';
import { TICK_MS } from './silence.ts';

/** How long a call is repeated that was answered with HandlerFailedError. Milliseconds. */
const HANDLER_PATIENCE_MS = 2_000;

interface WaitingCall {
  readonly begun: number;
  /** Milliseconds. */
  readonly patience: number;
  readonly reject: (reason: unknown) => void;
  /** The error of the last attempt. Null: the first one is under way. */
  failure: unknown;
  /** The caller waits no more. */
  isOver: boolean;
}

export interface WaitingCallsOptions {
  readonly outage: Outage;
  /** Aborts when the connection is closed. */
  readonly closing: AbortSignal;
  /** Returns the error for callers that wait no more. @param cause what failed, or the reason as text */
  readonly unreachable: (cause: unknown) => EventStoreUnreachableError;
}

/** Calls that are repeated with growing pauses while the server does not answer. */
export class WaitingCalls {
  readonly #options: WaitingCallsOptions;
  /** Ended together, because a timer or an abort listener for each costs as much as a call. */
  readonly #waiting = new Set<WaitingCall>();

  constructor(options: WaitingCallsOptions) {
    this.#options = options;
  }

  /**
   * Waits until the call, or an outage that it meets, has lasted for the patience.
   * @param patience milliseconds
   * @throws EventStoreUnreachableError
   */
  retry<T>(attempt: () => Promise<T>, patience: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting: WaitingCall = { begun: performance.now(), patience, reject, failure: null, isOver: false };
      this.#waiting.add(waiting);
      const settle = (act: () => void) => {
        this.#waiting.delete(waiting);
        act();
      };
      this.#repeat(attempt, this.#options.closing, waiting).then(
        (value) => settle(() => resolve(value)),
        (error) => settle(() => reject(error)),
      );
    });
  }

  /** Waits until the signal aborts. */
  retryUntil<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
    // Connecting to a cluster or to a frozen server can take long; an abort must not wait for it.
    return this.#repeat(() => unlessAborted(attempt(), signal), signal, null);
  }

  /** Ends the calls whose patience is exhausted. One that has not failed may take long while the server answers others. */
  endImpatient(): void {
    const { outage, unreachable } = this.#options;
    const { report } = outage;
    const now = performance.now();
    for (const waiting of this.#waiting) {
      const { patience, failure } = waiting;
      if (report === null && failure === null) continue;
      if (patience > Math.max(report?.lasts ?? 0, now - waiting.begun)) continue;
      waiting.isOver = true;
      waiting.reject(unreachable(failure ?? report?.reason));
    }
  }

  endAll(reason: unknown): void {
    for (const { reject } of this.#waiting) reject(reason);
  }

  async #repeat<T>(attempt: () => Promise<T>, signal: AbortSignal, waiting: WaitingCall | null): Promise<T> {
    let handlerFailedAt: number | null = null;
    for (let failures = 0; ; failures++) {
      signal.throwIfAborted();
      if (waiting) await this.#unlessLost(waiting);
      try {
        return await attempt();
      } catch (error) {
        signal.throwIfAborted();
        if (!isRetryable(error)) throw error;
        if (waiting) waiting.failure = error;
        const now = performance.now();
        if (error instanceof HandlerFailedError) {
          handlerFailedAt ??= now;
          if (now - handlerFailedAt >= HANDLER_PATIENCE_MS) throw error.cause;
        } else handlerFailedAt = null;
        const left = waiting ? waiting.begun + waiting.patience - now : Number.POSITIVE_INFINITY;
        if (left <= 0) throw this.#options.unreachable(error);
        await pause(Math.min(pauseAfter(failures), left), undefined, { signal }).catch(() => {});
      }
    }
  }

  /**
   * In an outage that has exhausted the patience, a call attempts nothing: it waits a moment for the end of the outage.
   * @throws EventStoreUnreachableError
   */
  async #unlessLost(waiting: WaitingCall): Promise<void> {
    const { outage, closing, unreachable } = this.#options;
    const isLost = () => outage.lasts !== null && outage.lasts >= waiting.patience;
    if (isLost()) await pause(Math.min(TICK_MS, waiting.patience), undefined, { signal: closing }).catch(() => {});
    if (waiting.isOver || isLost()) throw unreachable(outage.report?.reason);
  }
}

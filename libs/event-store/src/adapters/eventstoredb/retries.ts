import { randomInt } from 'node:crypto';
import {
  CancelledError,
  DeadlineExceededError,
  NotLeaderError,
  TimeoutError,
  UnavailableError,
  UnknownError,
} from '@eventstore/db-client';
import type { Client } from '@grpc/grpc-js';
import { hasCode } from '#kernel';

/** A server that accepts a connection and does not respond would block a call forever. */
const CONNECT_TIMEOUT_MS = 5_000;
/** State of a gRPC channel that is connected. */
const READY = 2;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** gRPC's INTERNAL: the status of a stream that was reset while in use. */
const INTERNAL = 13;

/** Returns the milliseconds before the next attempt, with jitter so that clients do not retry in step. */
export function pauseAfter(failures: number): number {
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
  return randomInt(longest / 2, longest);
}

/** Whether the same call may succeed later: the server does not answer, or is no longer the leader. */
export function isRetryable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const retryable = [UnavailableError, CancelledError, DeadlineExceededError, TimeoutError, NotLeaderError];
  if (retryable.some((type) => error instanceof type)) return true;
  if (hasCode(error, 'key_store_failed')) return true;
  if (error instanceof UnknownError) return Number(error.code) === INTERNAL;
  return /Channel has been shut down|Failed to discover/.test(error.message);
}

/** Settles as the work does, or rejects as soon as the signal aborts. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Work that ends when its connection is closed. An abort listener for each costs more than most of the rest of a call. */
export class WorkUnderWay {
  readonly #ends = new Set<(reason: unknown) => void>();

  /** Settles as the work does, or rejects when all is ended. */
  add<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#ends.add(reject);
      const settle = (act: () => void) => {
        this.#ends.delete(reject);
        act();
      };
      work.then(
        (value) => settle(() => resolve(value)),
        (error) => settle(() => reject(error)),
      );
    });
  }

  end(reason: unknown): void {
    for (const reject of this.#ends) reject(reason);
    this.#ends.clear();
  }
}

/** Settles as the work does, or rejects if there is no connection in time; the driver then drops the channel. */
export function unlessUnconnected<T>(client: Client, work: Promise<T>): Promise<T> {
  const isConnected = () => client.getChannel().getConnectivityState(false) === READY;
  if (isConnected()) return work;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      if (!isConnected()) reject(new UnavailableError(undefined, 'connected but unresponsive'));
    }, CONNECT_TIMEOUT_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

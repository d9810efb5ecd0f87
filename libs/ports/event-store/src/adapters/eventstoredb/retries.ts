import { randomInt } from 'node:crypto';
import {
  CancelledError,
  convertToCommandError,
  DeadlineExceededError,
  NotLeaderError,
  TimeoutError,
  UnavailableError,
  UnknownError,
} from '@eventstore/db-client';
import type { Client } from '@grpc/grpc-js';
import { hasCode } from '#platform/kernel';

/** A server that accepts a connection and does not respond would block a call until it counts as frozen. */
const CONNECT_TIMEOUT_MS = 2_000;
/** State of a gRPC channel that is connected. */
const READY = 2;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** gRPC's INTERNAL: the status of a stream that was reset while in use. */
const INTERNAL = 13;
/** gRPC's CANCELLED: by the server, or by this client because the server is frozen. */
const CANCELLED = 1;
/** gRPC's UNKNOWN. */
const UNKNOWN = 2;

/**
 * The answer of a node that is on its way down or up, and of every node to a request that is wrong. It counts as unavailable,
 * so that the driver looks for another node. Its cause is the error of the driver.
 */
export class HandlerFailedError extends UnavailableError {}

/** Returns errors for which the driver has to look for another node as UnavailableError, and others as they are. */
export function asUnavailable(error: unknown): unknown {
  const { code, message = '' } = error as { readonly code?: unknown; readonly message?: string };
  if (Number(code) === CANCELLED) return new UnavailableError(undefined, message);
  if (Number(code) !== UNKNOWN || !message.includes('Exception was thrown by handler')) return error;
  return Object.assign(new HandlerFailedError(undefined, message), { cause: convertToCommandError(error as Error) });
}

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

import { inspect } from 'node:util';
import { isNativeError } from 'node:util/types';
import { BaseRpcContext, type MessageHandler } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { isTransient } from '#platform/kernel';
import type { DeliveryCount, WorkMessage } from './port.ts';
import { retryTimeOf } from './retry-at.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** After a transient error, because what it lacks may be back at any time. */
const LONGEST_TRANSIENT_PAUSE_MS = 10_000;

/**
 * Calls a handler and waits for its end.
 * @param signal aborts when the bus closes, which waits for the handler
 * @throws what the handler throws
 */
export async function runHandler(
  handler: MessageHandler,
  pattern: string,
  message: WorkMessage,
  delivery: DeliveryCount,
  signal: AbortSignal,
): Promise<void> {
  const result: unknown = await handler(message, new BaseRpcContext([pattern, delivery, signal]));
  if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
}

/**
 * Returns the milliseconds until a message is delivered again.
 * @param tries number of calls of the handler so far
 */
export function pauseAfter(tries: number, error: unknown): number {
  const retryAt = retryTimeOf(error);
  if (retryAt !== null) return Math.max(0, retryAt - Date.now());
  return Math.min(
    FIRST_PAUSE_MS * 2 ** (tries - 1),
    isTransient(error) ? LONGEST_TRANSIENT_PAUSE_MS : LONGEST_PAUSE_MS,
  );
}

/** Whether the log gets this failure. Of transient ones ever fewer, because an outage may last for hours. */
export const isLogged = (tries: number, error: unknown): boolean =>
  !isTransient(error) || Number.isInteger(Math.log2(tries));

/** Returns the reason of a redelivery for the log. A handler may throw any value. */
export const reasonOf = (error: unknown): string =>
  isNativeError(error) ? String(error) : inspect(error, { breakLength: Number.POSITIVE_INFINITY });

import { BaseRpcContext, type MessageHandler } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { DeliveryCount, WorkMessage } from './port.ts';
import { retryTimeOf } from './retry-at.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

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
  return Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
}

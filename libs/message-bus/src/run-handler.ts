import { BaseRpcContext, type MessageHandler } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { DeliveryCount, WorkMessage } from './port.ts';
import { retryTimeOf } from './retry-at.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** Resolves when the handler is through; throws what it throws. */
export async function runHandler(
  handler: MessageHandler,
  pattern: string,
  message: WorkMessage,
  delivery: DeliveryCount,
): Promise<void> {
  const result: unknown = await handler(message, new BaseRpcContext([pattern, delivery]));
  if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
}

/**
 * Returns the milliseconds until a message is delivered again.
 * @param tries after which the handler threw the error
 */
export function pauseAfter(tries: number, error: unknown): number {
  const retryAt = retryTimeOf(error);
  if (retryAt !== null) return Math.max(0, retryAt - Date.now());
  return Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
}

import { hasCode, MnemeError } from '#kernel';

/** Thrown by a handler that is to get its message again at a time. The delivery is not counted. */
export class RetryAtError extends MnemeError {
  override readonly name = 'RetryAtError';
  override readonly kind = 'transient';
  override readonly code = 'retry_at';

  /** @param at milliseconds since the epoch */
  constructor(at: number) {
    super(`to be retried at ${new Date(at).toISOString()}`, { details: { at } });
  }
}

/** Returns the time at which a handler is to get its message again, or null if it named none. */
export const retryTimeOf = (error: unknown): number | null =>
  hasCode(error, 'retry_at') ? (error.details as { readonly at: number }).at : null;

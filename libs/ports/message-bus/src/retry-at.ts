import { hasCode, MnemeError } from '#platform/kernel';

/** Thrown by a handler to get its message again at a given time. The delivery is not counted. */
export class RetryAtError extends MnemeError {
  override readonly name = 'RetryAtError';
  override readonly kind = 'transient';
  override readonly code = 'retry_at';

  /** @param at milliseconds since the Unix epoch */
  constructor(at: number) {
    super(`to be retried at ${new Date(at).toISOString()}`, { details: { at } });
  }
}

/** Returns the time at which a handler wants its message again, or null for any other error. */
export const retryTimeOf = (error: unknown): number | null =>
  hasCode(error, 'retry_at') ? (error.details as { readonly at: number }).at : null;

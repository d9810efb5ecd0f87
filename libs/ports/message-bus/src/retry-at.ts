import { hasCode, mnemeError } from '#platform/kernel';

/** Thrown by a handler to get its message again at a given time. The delivery is not counted. */
export class RetryAtError extends mnemeError('transient', 'retry_at') {
  /** @param at milliseconds since the Unix epoch */
  constructor(at: number) {
    super(`to be retried at ${new Date(at).toISOString()}`, { details: { at } });
  }
}

/** Returns the time at which a handler wants its message again, or null for any other error. */
export const retryTimeOf = (error: unknown): number | null =>
  hasCode(error, 'retry_at') ? (error.details as { readonly at: number }).at : null;

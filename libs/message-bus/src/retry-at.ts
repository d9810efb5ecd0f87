import { RpcException } from '@nestjs/microservices';

/** Thrown by a handler that is to get its message again at a time. Nest passes the object of an RpcException through. */
export class RetryAtError extends RpcException {
  override readonly name = 'RetryAtError';

  /** @param at milliseconds since the epoch */
  constructor(at: number) {
    super({ retryAt: at, message: `to be retried at ${new Date(at).toISOString()}` });
  }
}

/** @returns the time at which a handler wants its message again; null: it named none */
export function retryTimeOf(error: unknown): number | null {
  const thrown = error instanceof RetryAtError ? error.getError() : error;
  const { retryAt } = (thrown ?? {}) as { readonly retryAt?: unknown };
  return typeof retryAt === 'number' ? retryAt : null;
}

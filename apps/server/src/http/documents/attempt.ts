import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Attempt } from '#features/documents/use-cases';
import { invalid } from '#platform/input';

const MAX_KEY_LENGTH = 255;

/** How often the client's library has sent this request before. */
const RETRY_COUNT = 'x-stainless-retry-count';

export function readAttempt(_: undefined, context: ExecutionContext): Attempt {
  const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
  return { idempotencyKey: keyIn(headers['idempotency-key']), isRetry: Number(headers[RETRY_COUNT] ?? 0) >= 1 };
}

/** Of the request of an add. */
export const CurrentAttempt = createParamDecorator(readAttempt);

function keyIn(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header !== 'string' || header === '' || header.length > MAX_KEY_LENGTH) {
    throw invalid('Idempotency-Key', `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters`);
  }
  return header;
}

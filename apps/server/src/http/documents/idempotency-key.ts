import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { invalid } from '../errors/api-error.ts';

const MAX_LENGTH = 255;

/** The header Idempotency-Key of an add, or null. */
export const IdempotencyKey = createParamDecorator((_: undefined, context: ExecutionContext): string | null => {
  const key = context.switchToHttp().getRequest<FastifyRequest>().headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || key === '' || key.length > MAX_LENGTH) {
    throw invalid('Idempotency-Key', `Idempotency-Key must have 1 to ${MAX_LENGTH} characters`);
  }
  return key;
});

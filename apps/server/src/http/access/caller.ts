import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '#kernel';

/** Who calls; only on routes that are not public. */
export const From = createParamDecorator((_: undefined, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
  if (caller === null) throw new Error('a public route has no caller');
  return caller;
});

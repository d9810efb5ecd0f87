import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '#platform/kernel';

/** The authenticated caller; not for public routes. */
export const CurrentCaller = createParamDecorator((_: undefined, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
  if (caller === null) throw new Error('a public route has no caller');
  return caller;
});

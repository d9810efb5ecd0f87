import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Stage } from '#views';

/** The vocabulary of `status`: four words, or the stages (contract §3.1 L3). */
export type StatusWords = 'plain' | 'stages';

/** The output schema of this client has the stages only. */
const STAGE_CLIENT = 'supermemory-mcp';

export function statusWords(request: FastifyRequest): StatusWords {
  const { headers } = request;
  const requested = headers['x-sm-status'] ?? (request.query as { status?: unknown }).status;
  return requested === 'stage' || headers['x-sm-source'] === STAGE_CLIENT ? 'stages' : 'plain';
}

export const Words = createParamDecorator(
  (_: undefined, context: ExecutionContext): StatusWords => statusWords(context.switchToHttp().getRequest()),
);

export type Status = Stage | 'processing';

export function statusOf(stage: Stage, words: StatusWords): Status {
  if (words === 'stages' || stage === 'queued' || stage === 'done' || stage === 'failed') return stage;
  return 'processing';
}

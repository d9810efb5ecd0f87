import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { invalid } from '#platform/input';
import type { Stage } from '#read-side/views';
import { declareQuery } from '../validation/known-fields.ts';

/** The vocabulary of `status`: four words, or the stages (contract §3.1 L3). */
export type StatusWords = 'plain' | 'stages';

/** The output schema of this client has the stages only. */
const STAGE_CLIENT = 'supermemory-mcp';

/** @throws ApiError 400 for any value but `stage` */
function statusWords({ headers, query }: FastifyRequest): StatusWords {
  const requested = [
    ['x-sm-status', headers['x-sm-status']],
    ['status', (query as { status?: unknown }).status],
  ] as const;
  for (const [name, value] of requested) {
    if (value !== undefined && value !== 'stage') throw invalid(name, `${name} must be stage`);
  }
  const wantsStages = requested.some(([, value]) => value === 'stage');
  return wantsStages || headers['x-sm-source'] === STAGE_CLIENT ? 'stages' : 'plain';
}

export const readWords = (_: undefined, context: ExecutionContext): StatusWords =>
  statusWords(context.switchToHttp().getRequest());

const words = createParamDecorator(readWords);

export const Words = (): ParameterDecorator => (target, key, index) => {
  declareQuery('status', target, key as string | symbol);
  words()(target, key, index);
};

export type Status = Stage | 'processing';

export function statusOf(stage: Stage, words: StatusWords): Status {
  if (words === 'stages' || stage === 'queued' || stage === 'done' || stage === 'failed') return stage;
  return 'processing';
}

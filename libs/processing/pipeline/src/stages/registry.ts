import { chunk } from './chunk.stage.ts';
import { embed } from './embed.stage.ts';
import { extract } from './extract.stage.ts';
import { index } from './index.stage.ts';
import type { Stage } from './stage.ts';
import { summarize } from './summarize.stage.ts';

/** Every stage, each after its predecessor. */
export const STAGES: readonly Stage[] = inOrder([extract, chunk, embed, index, summarize]);

/** Every queue of work: the stages, each with those beside it. */
export const QUEUES: readonly Stage[] = STAGES.flatMap((stage) => [stage, ...(stage.queues ?? [])]);

export const patternOf = ({ name }: Pick<Stage, 'name'>): string => `pipeline.${name}`;

/** @throws Error if there is no such queue */
export function queueNamed(name: string): Stage {
  const stage = QUEUES.find((one) => one.name === name);
  if (stage === undefined) throw new Error(`there is no queue ${name}`);
  return stage;
}

/** @throws Error for a predecessor that does not exist, and for a circle of predecessors */
export function inOrder(stages: readonly Stage[]): readonly Stage[] {
  const ordered: Stage[] = [];
  const open = new Set(stages);
  while (open.size > 0) {
    const next = [...open].find(({ after }) => after === null || ordered.some(({ name }) => name === after));
    if (next === undefined) throw new Error(`no stage precedes ${[...open].map(({ name }) => name).join(', ')}`);
    open.delete(next);
    ordered.push(next);
  }
  return ordered;
}

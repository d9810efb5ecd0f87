import { patternOf, QUEUES } from '../stages/registry.ts';
import type { Stage } from '../stages/stage.ts';
import type { ConcurrencyLimit } from './fair-queue.ts';

/** In flight of one stage, however many workers there are: a shared bus delivers no more before it gets answers. */
const MAX_IN_FLIGHT = 8_192;

/** The limits of a stage grow with the number of processes that handle work (decision 15). */
export function limitFor({ concurrency: { total, perTag, bytes } }: Stage, workers: number): ConcurrencyLimit {
  const all = Math.min(total * workers, MAX_IN_FLIGHT);
  return { total: all, perTag: Math.min(perTag * workers, all / 2), bytes: bytes === null ? null : bytes * workers };
}

/** Messages of a pattern that a process handles at once, on a bus that several processes share. */
export function atOnce(pattern: string): number {
  return QUEUES.find((stage) => patternOf(stage) === pattern)?.concurrency.total ?? 1;
}

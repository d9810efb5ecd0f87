import { patternOf, QUEUES } from '../stages/registry.ts';
import type { Stage } from '../stages/stage.ts';
import type { QueueLimit } from './fair-queue.ts';

/** In flight of one stage, however many workers there are: a shared bus delivers no more before it gets answers. */
const MAX_IN_FLIGHT = 8_192;

/** Of what a stage may have in flight, one caller has at most this share, so that there is a place for another one. */
const SHARE_OF_CALLER = 3 / 4;

/** The limits of a stage grow with the number of processes that handle work (decision 15). */
export function limitFor({ concurrency: { total, perTag, bytes } }: Stage, workers: number): QueueLimit {
  const all = Math.min(total * workers, MAX_IN_FLIGHT);
  const ofTag = Math.min(perTag * workers, all / 2);
  const perCaller = Math.max(ofTag, Math.floor(all * SHARE_OF_CALLER));
  return { total: all, perCaller, perTag: ofTag, bytes: bytes === null ? null : bytes * workers };
}

/** Messages of a pattern that a process handles at once, on a bus that several processes share. */
export function atOnce(pattern: string): number {
  return QUEUES.find((stage) => patternOf(stage) === pattern)?.concurrency.total ?? 1;
}

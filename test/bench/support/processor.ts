import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { SkippedError } from './bench.ts';

/** Unit of the times in /proc. */
const MILLISECONDS_PER_TICK = 10;

/** Returns the processor time of a process and all its descendants that run. Milliseconds. */
export function processorMilliseconds(pid: number): number {
  if (platform() !== 'linux') throw new SkippedError('processor time is measured on Linux only');
  // The name of the program may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const own = (Number(fields[11]) + Number(fields[12])) * MILLISECONDS_PER_TICK;
  return childrenOf(pid).reduce((sum, child) => sum + processorMilliseconds(child), own);
}

/** Returns the ids of the processes that a process has started and that run. */
export function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const lists = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'));
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

import type { Fault } from './installation.ts';
import type { ServerProcess } from './server-process.ts';

/**
 * How far a clock is set forwards or backwards. Milliseconds. Idempotency keys are valid for 24 hours by the clocks of the
 * processes, so a retry after a jump is still recognised.
 */
const FARTHEST_MS = 2 * 3_600_000;

/**
 * Faults of processes, on both set-ups.
 * @param longestFreezeMs how long a process is suspended at most
 */
export const processFaults = (processes: readonly ServerProcess[], longestFreezeMs: number): readonly Fault[] => [
  { name: 'process killed', weight: 4, run: (random) => startAgain(random.pick(processes), 'SIGKILL') },
  { name: 'process stopped', weight: 1, run: (random) => startAgain(random.pick(processes), 'SIGTERM') },
  {
    name: 'process frozen',
    weight: 2,
    run: (random) => random.pick(processes).freeze(random.int(200, longestFreezeMs)),
  },
  {
    name: 'child process killed',
    weight: 2,
    run: (random) => random.pick(processes).killChild((pids) => random.pick(pids)),
  },
  {
    name: 'clock set',
    weight: 2,
    run: (random) => random.pick(processes).setClock(random.int(-FARTHEST_MS, FARTHEST_MS)),
  },
];

async function startAgain(process: ServerProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  await process.end(signal);
  await process.start();
}

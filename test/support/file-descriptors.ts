import { execFile } from 'node:child_process';
import { closeSync, openSync, readdirSync } from 'node:fs';
import { devNull } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Free descriptors above the current use; the program that sets the limit needs some. */
const SPARE = 64;

/**
 * Runs `work` while no thread of this process can open a file.
 * @returns null, with a warning, if the limit of a process cannot be changed
 */
export async function withoutFileDescriptors<T>(work: () => Promise<T>): Promise<T | null> {
  let limit: string;
  try {
    const { stdout } = await run('prlimit', ['--pid', `${process.pid}`, '--nofile', '--output=SOFT', '--noheadings']);
    limit = stdout.trim();
    await setLimit(String(highest() + SPARE));
  } catch (error) {
    console.warn(`Tests without file descriptors are SKIPPED: ${(error as Error).message}`);
    return null;
  }
  const held = exhaust();
  try {
    return await work();
  } finally {
    for (const descriptor of held) closeSync(descriptor);
    await setLimit(limit);
  }
}

/** Returns the highest descriptor in use; the limit must be above it. */
const highest = (): number => Math.max(...readdirSync('/proc/self/fd').map(Number));

/** Sets the soft limit only. */
const setLimit = (soft: string) => run('prlimit', ['--pid', `${process.pid}`, `--nofile=${soft}:`]);

function exhaust(): readonly number[] {
  const held: number[] = [];
  for (;;) {
    try {
      held.push(openSync(devNull, 'r'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EMFILE') return held;
      throw error;
    }
  }
}

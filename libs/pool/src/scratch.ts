import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { newId } from '#kernel';
import { translateFileError } from './errors.ts';

/** A folder in which nothing changed for so long is left over, whichever machine made it; its process would make it again. */
const ABANDONED_MS = 24 * 60 * 60_000;

/** The files of one job. */
export interface JobFiles {
  readonly folder: string;
  readonly output: string;
}

/**
 * Temporary files of jobs, in `<folder>/<machine>.<process>.<id>/<job>/`. Processes may share `folder`; what one that has
 * ended left there is removed by the next that opens it.
 */
export class Scratch {
  readonly #folder: string;
  readonly #swept: Promise<void>;

  constructor(folder: string) {
    this.#folder = join(folder, `${hostname()}.${process.pid}.${newId()}`);
    this.#swept = sweep(folder).catch(() => undefined);
  }

  newJob(): JobFiles {
    const folder = join(this.#folder, newId());
    return { folder, output: join(folder, 'output') };
  }

  /** @returns the path of the copy. @throws ScratchError, and whatever the stream throws */
  async copy({ folder }: JobFiles, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
    const path = join(folder, 'input');
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await pipeline(bytes, createWriteStream(path, { mode: 0o600 }), { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw translateFileError(error, path);
    }
    return path;
  }

  async remove({ folder }: JobFiles): Promise<void> {
    await rm(folder, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    await this.#swept;
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (await isAbandoned(folder, name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function isAbandoned(folder: string, name: string): Promise<boolean> {
  const [, pid, ...machine] = name.split('.').reverse();
  const changedAt = (await stat(join(folder, name))).mtimeMs;
  if (Date.now() - changedAt > ABANDONED_MS) return true;
  if (machine.reverse().join('.') !== hostname()) return false;
  // In a container that starts again, the process has the id of the one before.
  const startedAt = Date.now() - process.uptime() * 1000;
  return Number(pid) === process.pid ? changedAt < startedAt : !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

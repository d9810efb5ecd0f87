import { mkdir, open, readdir, rm, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { translateFileError } from './errors/resource-error.ts';
import { newId } from './ids.ts';
import { isAlive } from './is-alive.ts';

/** A folder in which nothing changed for so long is left over, whichever machine made it; its process would make it again. */
const ABANDONED_MS = 24 * 60 * 60_000;

/** Folders of this process. No clock tells them from those of a former process with the same id: it may be set at any time. */
const own = new Set<string>();

/**
 * Temporary files and folders of a process, in `<folder>/<machine>.<process>.<id>/`. Processes may share `folder`; what one
 * that has ended left there is removed by the next that opens it.
 */
export class Scratch {
  /** The folder of this process. Exists after `make` or `copy`. */
  readonly folder: string;
  readonly #swept: Promise<void>;

  constructor(folder: string) {
    this.folder = join(folder, `${hostname()}.${process.pid}.${newId()}`);
    own.add(this.folder);
    this.#swept = sweep(folder).catch(() => undefined);
  }

  /** Returns a new path in the folder. */
  newPath(): string {
    return join(this.folder, newId());
  }

  /** Makes the folder. @throws ResourceError */
  async make(): Promise<void> {
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw translateFileError(error);
    }
  }

  /** @throws ResourceError; whatever the stream throws; the reason of the signal */
  async copy(path: string, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    await this.make();
    try {
      await using file = await open(path, 'wx', 0o600);
      for await (const piece of bytes) {
        signal.throwIfAborted();
        await file.writeFile(piece);
      }
    } catch (error) {
      throw translateFileError(error);
    }
  }

  /** Removes a file, if it is there. */
  async remove(path: string): Promise<void> {
    await unlink(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw translateFileError(error);
    });
  }

  async removeFolder(path: string): Promise<void> {
    await rm(path, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    await this.#swept;
    await this.removeFolder(this.folder);
    own.delete(this.folder);
  }
}

async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (await isAbandoned(folder, name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function isAbandoned(folder: string, name: string): Promise<boolean> {
  if (own.has(join(folder, name))) return false;
  const [, pid, ...machine] = name.split('.').reverse();
  const changedAt = (await stat(join(folder, name))).mtimeMs;
  if (Date.now() - changedAt > ABANDONED_MS) return true;
  if (machine.reverse().join('.') !== hostname()) return false;
  // In a container that starts again, the process has the id of the one before.
  const startedAt = Date.now() - process.uptime() * 1000;
  return Number(pid) === process.pid ? changedAt < startedAt : !isAlive(Number(pid));
}

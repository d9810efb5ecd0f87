import { chmod, lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Permission bits of everyone but the owner. */
const OTHERS = 0o077;
const OWNER = 0o700;

/** What a process keeps in its data folder. Anything else in it is left as it is. */
const OWN =
  /^(?:(?:events|views|vectors|stream-keys|secrets)\.db.*|(?:lock|control)\..*|owner\.key.*|master\.key.*|restoring|blobs|models|scratch|stream-keys|uploads)$/;

/**
 * Makes a data folder readable by its owner only: the folder, what is in it, and what this process creates from now on.
 * @param warn called if others could read the folder
 */
export async function keepPrivate(folder: string, warn: (message: string) => void): Promise<void> {
  process.umask(OTHERS);
  const before = (await stat(folder)).mode & 0o777;
  try {
    if ((before & OTHERS) !== 0) {
      await chmod(folder, before & OWNER);
      warn(
        `The data folder ${folder} was open to other users (${octal(before)}). It is private now (${octal(before & OWNER)}).`,
      );
    }
    const own = (await readdir(folder)).filter((name) => OWN.test(name));
    for (const name of own) await narrow(join(folder, name));
  } catch (error) {
    const reason = (error as Error).message;
    warn(`The data folder ${folder} cannot be made private. Make its files readable by their owner only. ${reason}`);
  }
}

/** Narrows a file, or a folder and everything in it. The folder comes last: after an interruption it is found again. */
async function narrow(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found === null || found.isSymbolicLink() || (found.mode & OTHERS) === 0) return;
  if (found.isDirectory()) for (const name of await readdir(path)) await narrow(join(path, name));
  await chmod(path, found.mode & OWNER);
}

const octal = (mode: number): string => mode.toString(8).padStart(4, '0');

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Longer paths do not fit the address of a unix socket on every system. Bytes. */
const LONGEST = 100;

const inFolder = (folder: string): string => join(folder, 'control.sock');
const fits = (path: string): boolean => Buffer.byteLength(path) <= LONGEST;
/** Where the socket of a folder with a long path stands. */
const record = (folder: string): string => join(folder, 'control.path');

/** A path to listen on; what an earlier process has left there is removed. Only for who holds the data folder. */
export async function claimSocketPath(folder: string): Promise<string> {
  await releaseSocketPath(folder);
  const path = inFolder(folder);
  if (fits(path)) return path;
  const short = join(await mkdtemp(join(tmpdir(), 'mneme-')), 's');
  if (!fits(short)) throw new Error(`the folder for temporary files, ${tmpdir()}, has too long a path for a socket`);
  await writeFile(record(folder), short, { mode: 0o600 });
  return short;
}

export async function releaseSocketPath(folder: string): Promise<void> {
  await rm(inFolder(folder), { force: true });
  const elsewhere = await readFile(record(folder), 'utf8').catch(() => null);
  if (elsewhere === null) return;
  await rm(record(folder), { force: true });
  // Only what looks like ours: the file may have been tampered with.
  if (/^mneme-[^/]+$/.test(dirname(elsewhere).slice(tmpdir().length + 1)) && elsewhere.startsWith(tmpdir())) {
    await rm(dirname(elsewhere), { recursive: true, force: true });
  }
}

/** Where a server on the folder would listen. */
export async function socketPathOf(folder: string): Promise<string> {
  const path = inFolder(folder);
  return fits(path) ? path : ((await readFile(record(folder), 'utf8').catch(() => null)) ?? path);
}

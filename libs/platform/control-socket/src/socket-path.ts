import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Limit of the path of a unix socket on all systems. Bytes. */
const LONGEST = 100;

const inFolder = (folder: string): string => join(folder, 'control.sock');
const fits = (path: string): boolean => Buffer.byteLength(path) <= LONGEST;
/** File with the path of the socket, for a folder with a long path. */
const record = (folder: string): string => join(folder, 'control.path');

/** Returns a path to listen on, and removes the socket of an earlier process. Call it only while holding the data folder. */
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
  // Checked, because the file may have been tampered with.
  if (/^mneme-[^/]+$/.test(dirname(elsewhere).slice(tmpdir().length + 1)) && elsewhere.startsWith(tmpdir())) {
    await rm(dirname(elsewhere), { recursive: true, force: true });
  }
}

/** Returns the path on which a server of the folder listens. */
export async function socketPathOf(folder: string): Promise<string> {
  const path = inFolder(folder);
  return fits(path) ? path : ((await readFile(record(folder), 'utf8').catch(() => null)) ?? path);
}

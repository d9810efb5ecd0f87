import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '#platform/kernel';

/** Folder in which this process prepares what will be at `target`. */
export const stagingOf = (target: string): string => `${target}.${process.pid}.part`;

/**
 * Renames a complete folder to `target`, synced, so that no reader sees a part of it.
 * @param isComplete whether another process has put the same files at `target`
 */
export async function publishFolder(from: string, target: string, isComplete: () => Promise<boolean>): Promise<void> {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) await syncFolder(join(entry.parentPath, entry.name));
  }
  await syncFolder(from);
  // An existing folder is incomplete, or nothing would have been prepared.
  await rm(target, { recursive: true, force: true });
  try {
    await rename(from, target);
  } catch (error) {
    if (!(await isComplete())) throw error;
  }
  await syncFolder(dirname(target));
}

/** Removes staging folders of processes that have ended. */
export async function removeLeftovers(target: string): Promise<void> {
  const parent = dirname(target);
  for (const name of await readdir(parent)) {
    const pid = /^\.(\d+)\.part$/.exec(name.slice(basename(target).length))?.[1];
    if (!name.startsWith(basename(target)) || pid === undefined) continue;
    if (!isRunning(Number(pid)) || Number(pid) === process.pid) {
      await rm(join(parent, name), { recursive: true, force: true });
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

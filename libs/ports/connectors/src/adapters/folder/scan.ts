import type { BigIntStats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { Rules } from './rules.ts';

/** Calls of the file system at a time. */
const AT_ONCE = 32;

/** A folder that may not be read, or whose rules can't be. */
const UNREADABLE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EFBIG']);

export interface ScannedFile {
  /** Below the folder that is scanned; parts are separated by "/". */
  readonly path: string;
  readonly status: BigIntStats;
}

export interface Scan {
  /** Files of one folder, or of a part of it. */
  readonly files: readonly ScannedFile[];
  /** A folder that may not be read, as paths are; null: none. */
  readonly unreadable: string | null;
}

/**
 * Yields the regular files of a folder, without what its rules leave out, links and what is neither file nor folder. What
 * vanishes meanwhile is not there.
 * @throws errors of the file system, except where a single folder may not be read
 */
export async function* scan(root: string, signal: AbortSignal): AsyncGenerator<Scan> {
  const folders: Folder[] = [{ parts: [], above: null }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal.throwIfAborted();
    try {
      for await (const files of filesOf(root, folder, folders)) yield { files, unreadable: null };
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      const isGone = code === 'ENOENT' || code === 'ENOTDIR';
      if (folder.above === null || !(isGone || UNREADABLE.has(code))) throw error;
      if (!isGone) yield { files: [], unreadable: folder.parts.join('/') };
    }
  }
}

interface Folder {
  /** Names from where the scan begins. */
  readonly parts: readonly string[];
  /** Null: the scan begins here. */
  readonly above: Rules | null;
}

/** Yields the files of one folder, and puts those in it aside. */
async function* filesOf(root: string, { parts, above }: Folder, aside: Folder[]): AsyncGenerator<ScannedFile[]> {
  const path = join(root, ...parts);
  const rules = above === null ? await Rules.begin(root) : await above.below(path, parts.length);
  const names: string[] = [];
  const statuses = async () => {
    const found = await Promise.all(names.splice(0).map((name) => statusOf(path, name, parts)));
    return found.filter((file) => file !== null);
  };
  for await (const entry of await opendir(path, { bufferSize: 256 })) {
    const isFolder = entry.isDirectory();
    if (!(isFolder || entry.isFile()) || rules.isLeftOut([...parts, entry.name], isFolder)) continue;
    if (isFolder) aside.push({ parts: [...parts, entry.name], above: rules });
    else if (names.push(entry.name) === AT_ONCE) yield await statuses();
  }
  yield await statuses();
}

async function statusOf(folder: string, name: string, parts: readonly string[]): Promise<ScannedFile | null> {
  try {
    const status = await lstat(join(folder, name), { bigint: true });
    return status.isFile() ? { path: [...parts, name].join('/'), status } : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from './mneme.ts';

/** Returns the files of a data folder that hold one of the words, in UTF-8 or in UTF-16, with the words. */
export async function filesWith(folder: string, words: readonly string[]): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    // A temporary file may be removed in the meantime.
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    for (const word of words) {
      if (bytes.includes(word) || bytes.includes(Buffer.from(word, 'utf16le'))) found.push(`${path}: ${word}`);
    }
  }
  return found;
}

/** Waits until no file of the folder holds one of the words, at most a minute. */
export async function untilErased(folder: string, words: readonly string[]): Promise<void> {
  let left: readonly string[] = [];
  const isGone = async () => {
    left = await filesWith(folder, words);
    return left.length === 0 ? true : null;
  };
  await eventually(isGone, 60_000).catch((error: Error) => {
    throw new Error(`${error.message}; still there: ${left.join(', ')}`);
  });
}

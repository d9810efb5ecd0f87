import { type Dirent, existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the files of a folder that hold one of the words, in UTF-8 or in UTF-16, or one of other bytes, with what they hold. */
export async function filesWith(folder: string, words: readonly (string | Buffer)[]): Promise<string[]> {
  const entries = await entriesOf(folder);
  const found: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    // A temporary file may be removed in the meantime.
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    for (const word of words) {
      const isHeld = bytes.includes(word) || (typeof word === 'string' && bytes.includes(Buffer.from(word, 'utf16le')));
      if (isHeld) found.push(`${path}: ${typeof word === 'string' ? word : word.toString('hex')}`);
    }
  }
  return found;
}

/** Lists again when a folder has been removed in the meantime. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  for (;;) {
    try {
      return await readdir(folder, { recursive: true, withFileTypes: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !existsSync(folder)) throw error;
    }
  }
}

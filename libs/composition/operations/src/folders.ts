import { mkdir, readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type JsonObject, syncFolder } from '#platform/kernel';
import { OperatorError, textOf } from './operation.ts';

/** Returns the `folder` of a command. @throws OperatorError */
export function folderOf(input: JsonObject): string {
  const folder = textOf(input.folder);
  if (folder === null) throw new OperatorError('A folder is required.');
  return resolve(folder);
}

/** Returns the names of what a data folder holds beside its lock; none if it does not exist. */
export async function namesIn(dataFolder: string): Promise<readonly string[]> {
  const lock = new Set(['lock.db', 'lock.db-journal', 'lock.pid']);
  const names = await readdir(dataFolder).catch((error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => !lock.has(name));
}

/** Creates a folder, readable by its owner only, if it does not exist. @throws OperatorError if it is not empty */
export async function prepareEmpty(folder: string): Promise<void> {
  try {
    const created = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (created !== undefined) await syncFolder(resolve(folder, '..'));
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EEXIST', 'ENOTDIR', 'EACCES', 'EROFS'].includes(code)) throw error;
    throw new OperatorError(`The folder ${folder} cannot be written (${code}).`, { cause: error });
  }
  throw new OperatorError(`${folder} is not empty. Choose another folder, or empty this one.`);
}

import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { mnemeError } from '#platform/kernel';

/** The process cannot work in the data folder; the message says why and what to change. */
class DataFolderUnusableError extends mnemeError('permanent', 'data_folder_unusable') {}

const OTHER_FOLDER = 'Set MNEME_DATA to a folder that this user may write.';
const NOT_PERMITTED = 'may not be used by this user. Change its owner or permissions, or set MNEME_DATA.';

const REASONS: Readonly<Record<string, (path: string) => string>> = {
  EACCES: (path) => `${path} ${NOT_PERMITTED}`,
  EPERM: (path) => `${path} ${NOT_PERMITTED}`,
  EROFS: (path) => `${path} is on a read-only file system. ${OTHER_FOLDER}`,
  EEXIST: (path) => `${path} is a file, not a folder. ${OTHER_FOLDER}`,
  ENOTDIR: (path) => `A part of the path ${path} is a file. ${OTHER_FOLDER}`,
  ENOENT: (path) => `${path} cannot be created. ${OTHER_FOLDER}`,
};

/** What a process opens in its data folder. Other files follow from these, or their errors name them. */
const OPENED = ['lock.db', 'events.db', 'vectors.db', 'views.db', 'blobs', 'uploads', 'scratch'];

const { R_OK, W_OK, X_OK } = constants;

/**
 * Creates the data folder, private, if it does not exist, and checks that this process may write it and
 * what it holds.
 * @throws DataFolderUnusableError
 */
export async function makeDataFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(`The data folder ${folder}`, error);
  }
  await checkDataFolder(folder);
}

/** Checks a data folder that may not exist. @throws DataFolderUnusableError */
export async function checkDataFolder(folder: string): Promise<void> {
  try {
    const found = await stat(folder).catch(orNull);
    if (found === null) return;
    if (!found.isDirectory()) throw Object.assign(new Error(`${folder} is a file`), { code: 'EEXIST' });
    await access(folder, R_OK | W_OK | X_OK);
  } catch (error) {
    throw unusable(`The data folder ${folder}`, error);
  }
  for (const path of OPENED.map((name) => join(folder, name))) {
    await access(path, R_OK | W_OK)
      .catch(orNull)
      .catch((error) => {
        throw unusable(path, error);
      });
  }
}

function orNull(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

function unusable(path: string, error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  const reason = REASONS[code];
  return reason === undefined ? error : new DataFolderUnusableError(reason(path), { cause: error });
}

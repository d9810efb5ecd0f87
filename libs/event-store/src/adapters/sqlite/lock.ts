import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MnemeError } from '#kernel';
import { SQLITE, sqliteCode, translateSqliteError, translatingSqlite } from '#sqlite';

/** Another process, or another part of this one, holds the data folder. */
export class DataFolderInUseError extends MnemeError {
  override readonly name = 'DataFolderInUseError';
  override readonly kind = 'permanent';
  override readonly code = 'data_folder_in_use';
}

export interface DataFolderLock {
  /** Repeated calls have no effect. */
  release(): void;
}

/**
 * Locks the data folder for this process, and creates the folder if it does not exist. The lock is an open exclusive
 * transaction on `lock.db`, so the operating system releases it when the process ends. Nothing else in this process may
 * open and close `lock.db`, because closing a file releases the locks of the process on POSIX systems.
 * @throws DataFolderInUseError
 */
export function lockDataFolder(folder: string): DataFolderLock {
  const db = translatingSqlite(() => {
    mkdirSync(folder, { recursive: true });
    return new DatabaseSync(join(folder, 'lock.db'), { timeout: 0 });
  });
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (sqliteCode(error) !== SQLITE.busy) throw translateSqliteError(error);
    throw new DataFolderInUseError(`The data folder ${folder} is in use by another Mneme process`, { cause: error });
  }
  return {
    release: () => {
      if (db.isOpen) db.close();
    },
  };
}

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MnemeError } from '#kernel';
import { SQLITE, sqliteCode, translateSqliteError, translatingSqlite } from '#sqlite';

/** Another process (or another part of this one) works on the data folder. */
export class DataFolderInUseError extends MnemeError {
  override readonly name = 'DataFolderInUseError';
  override readonly kind = 'permanent';
  override readonly code = 'data_folder_in_use';
}

export interface DataFolderLock {
  /** Doing it again does nothing. */
  release(): void;
}

/**
 * Takes the data folder for this process, making the folder if it is not there. The lock is an open exclusive transaction
 * on `lock.db`, that is a lock of the operating system on the file: it ends with the process, however that ends. Nothing
 * else in this process may open and close `lock.db`, which would give the lock up on POSIX systems.
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

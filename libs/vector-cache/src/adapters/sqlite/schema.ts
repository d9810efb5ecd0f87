import { DatabaseSync } from 'node:sqlite';

const SCHEMA_VERSION = 1;
/** How long one connection waits for another. Milliseconds. */
export const BUSY_TIMEOUT = 5_000;

/**
 * `users` records which owner uses which vector. Owners have numbers, because a row repeats its owner for every key.
 */
const SCHEMA = `
  CREATE TABLE vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE owners (no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE users (owner INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY (owner, key)) STRICT, WITHOUT ROWID;
  CREATE INDEX users_by_key ON users (key);
`;

/** Opens `vectors.db`, and makes it if it does not exist. @throws Error for a file of a newer version */
export function openVectorDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT });
  try {
    const { user_version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
    if (user_version > SCHEMA_VERSION) {
      throw new Error(`${path} has schema version ${user_version}; this program knows ${SCHEMA_VERSION}`);
    }
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA secure_delete = ON;
      PRAGMA cache_size = -8000;
      PRAGMA journal_size_limit = 4194304;
    `);
    if (user_version === 0) db.exec(`BEGIN IMMEDIATE; ${SCHEMA}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens an existing file for reading only. */
export function openVectorDatabaseToRead(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT });
  // No mmap, although it reads faster: the pages that a rebuild reads would count as memory of this process.
  db.exec('PRAGMA cache_size = -8000');
  return db;
}

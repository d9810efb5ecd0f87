import { DatabaseSync } from 'node:sqlite';
import { openErasingDatabase } from '#platform/sqlite';

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

/** Opens `vectors.db`, and creates it if it does not exist. @throws NewerSchemaError */
export function openVectorDatabase(path: string): DatabaseSync {
  return openErasingDatabase(path, {
    ...{ version: SCHEMA_VERSION, busyTimeout: BUSY_TIMEOUT, cacheKib: 8_000 },
    create: (db) => db.exec(SCHEMA),
  });
}

/** Opens an existing file for reading only. */
export function openVectorDatabaseToRead(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT });
  // No mmap, although it is faster: the pages that a rebuild reads would count as memory of this process.
  db.exec('PRAGMA cache_size = -8000');
  return db;
}

import { DatabaseSync } from 'node:sqlite';

const VERSION = 1;
/** Milliseconds. */
const BUSY_TIMEOUT = 5_000;

const TABLES = `
  CREATE TABLE requests (
    organization TEXT NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL, status INTEGER NOT NULL, key_id TEXT NOT NULL,
    id TEXT NOT NULL, method TEXT NOT NULL, route TEXT NOT NULL, code TEXT, milliseconds REAL NOT NULL,
    bytes_in INTEGER, bytes_out INTEGER
  );
  CREATE INDEX requests_at ON requests (organization, at);
  CREATE TABLE request_counts (
    organization TEXT NOT NULL, hour INTEGER NOT NULL, type TEXT NOT NULL, status INTEGER NOT NULL, key_id TEXT NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (organization, hour, type, status, key_id)
  ) WITHOUT ROWID;
  CREATE TABLE periods (
    id TEXT PRIMARY KEY, organization TEXT NOT NULL, grain TEXT NOT NULL, at INTEGER NOT NULL, figures TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX periods_at ON periods (organization, grain, at);
`;

/** Opens the database of figures, and creates it if it does not exist. */
export function openAnalyticsDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT });
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 4194304;');
    const { user_version: found } = db.prepare('PRAGMA user_version').get() as { user_version: number };
    if (found === 0) db.exec(`BEGIN IMMEDIATE; ${TABLES} PRAGMA user_version = ${VERSION}; COMMIT`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

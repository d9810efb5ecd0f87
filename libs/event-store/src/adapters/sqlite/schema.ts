import { DatabaseSync } from 'node:sqlite';
import { MnemeError, newId } from '#kernel';

const SCHEMA_VERSION = 1;
/** Milliseconds for which a write waits for another connection to the file, e.g. a backup tool. */
export const BUSY_TIMEOUT = 5000;

/**
 * `events` is only ever appended to at its end, and a payload only ever shrinks to NULL in place. Both matter for
 * erasure: a B-tree that has to move rows between pages leaves stale copies of neighbours in the gaps, which
 * secure_delete does not overwrite. For the same reason a replaced snapshot leaves an emptied row behind instead of being
 * updated to another size or deleted.
 */
const SCHEMA = `
  CREATE TABLE store (id TEXT NOT NULL) STRICT;
  CREATE TABLE categories (no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE streams (
    no INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    category INTEGER NOT NULL REFERENCES categories (no),
    revision INTEGER NOT NULL,
    erased INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    category INTEGER NOT NULL,
    stream INTEGER NOT NULL REFERENCES streams (no),
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    organization TEXT NOT NULL,
    envelope TEXT NOT NULL,
    payload TEXT,
    UNIQUE (stream, revision),
    UNIQUE (stream, id)
  ) STRICT;
  CREATE INDEX events_by_category ON events (category);
  CREATE TABLE snapshots (
    no INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL REFERENCES streams (no),
    name TEXT NOT NULL,
    revision INTEGER NOT NULL,
    state TEXT
  ) STRICT;
  CREATE UNIQUE INDEX live_snapshots ON snapshots (stream, name) WHERE state IS NOT NULL;
`;

/** The database was written by a newer version of the program. */
export class NewerSchemaError extends MnemeError {
  override readonly name = 'NewerSchemaError';
  override readonly kind = 'permanent';
  override readonly code = 'newer_schema';
}

/**
 * Opens `events.db`, making it if it is not there.
 * @throws NewerSchemaError
 */
export function openEventsDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT });
  try {
    const version = (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
    if (version > SCHEMA_VERSION) {
      throw new NewerSchemaError(
        `${path} has schema version ${version}; this program knows ${SCHEMA_VERSION}. Run the version that wrote it.`,
      );
    }
    // The WAL keeps its length between checkpoints otherwise, and with it, after an erasure, its words.
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA secure_delete = ON;
      PRAGMA cache_size = -16000;
      PRAGMA journal_size_limit = 4194304;
    `);
    if (version === 0) {
      db.exec('BEGIN IMMEDIATE');
      db.exec(SCHEMA);
      db.prepare('INSERT INTO store (id) VALUES (?)').run(newId());
      db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

import type { DatabaseSync } from 'node:sqlite';
import { newId } from '#platform/kernel';
import { openErasingDatabase } from '#platform/sqlite';
import { LOG_FORMAT } from '../../log-format.ts';

/** How long a write waits for another connection to the file, e.g. of a backup tool. Milliseconds. */
export const BUSY_TIMEOUT = 5000;

/**
 * Rows of `events` are only appended, and a payload only changes to NULL in place. Erasure depends on both: a B-tree that
 * moves rows between pages leaves copies of other rows in the gaps, which secure_delete does not overwrite. For the same
 * reason a replaced snapshot leaves an emptied row instead of being updated to another size or deleted.
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

/**
 * Opens `events.db`, and creates it if it does not exist.
 * @throws NewerSchemaError, OlderSchemaError
 */
export function openEventsDatabase(path: string): DatabaseSync {
  return openErasingDatabase(path, {
    ...{ version: LOG_FORMAT, busyTimeout: BUSY_TIMEOUT, cacheKib: 16_000 },
    create: (db) => {
      db.exec(SCHEMA);
      db.prepare('INSERT INTO store (id) VALUES (?)').run(newId());
    },
  });
}

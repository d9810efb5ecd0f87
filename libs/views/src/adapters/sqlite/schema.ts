import { existsSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isDamage, ViewsDamagedError } from './damage.ts';
import { hasTable } from './read-models.ts';

/** Raised with every change of the tables here; a file of another version is created again. Read models have versions of their own. */
export const SCHEMA_VERSION = 3;

/** Marks a file as ours ("mnem"), so that a foreign database is not taken for an old version of the views. */
const APPLICATION_ID = 0x6d6e656d;

/** `made_for`: the vector space of the views, where it is known. */
const TABLES = `
  CREATE TABLE checkpoint (one INTEGER PRIMARY KEY CHECK (one = 1), position TEXT NOT NULL) STRICT;
  CREATE TABLE made_for (space TEXT NOT NULL) STRICT;
`;

/** Most entries have 2 to 10 KB. With 8 KB a page held one of them, and a cold read took twice as many steps. */
export const PAGE_SIZE = 16384;

/** How long a connection waits for another one's lock before it gives up. */
export const BUSY_MS = 5_000;

/** `found`: the file stood there. `created`: none did. `dropped`: it could not be used and was made anew, empty. */
export type Opened = 'found' | 'created' | 'dropped';

function pragma(db: DatabaseSync, name: string): unknown {
  return Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

function hasOurShape(path: string): boolean {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: BUSY_MS });
    return pragma(db, 'application_id') === APPLICATION_ID && pragma(db, 'user_version') === SCHEMA_VERSION;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  } finally {
    db?.close();
  }
}

export function removeViews(path: string): void {
  for (const part of ['', '-wal', '-shm']) rmSync(path + part, { force: true });
}

/**
 * The one writing connection. A file of another shape is deleted, with what belongs to it, and made anew: the log brings
 * everything back, so nothing is ever migrated.
 * @param space what a file that is made is made for
 */
export function openForWriting(path: string, space?: string): { db: DatabaseSync; opened: Opened } {
  let opened: Opened = existsSync(path) ? 'found' : 'created';
  if (opened === 'found' && !hasOurShape(path)) opened = 'dropped';
  if (opened !== 'found') removeViews(path);

  const db = new DatabaseSync(path, { timeout: BUSY_MS });
  try {
    prepareForWriting(db, opened, space);
  } catch (error) {
    db.close();
    throw error;
  }
  return { db, opened };
}

function prepareForWriting(db: DatabaseSync, opened: Opened, space?: string): void {
  db.exec(`PRAGMA page_size = ${PAGE_SIZE}; PRAGMA journal_mode = WAL`);
  // NORMAL keeps rows and checkpoint of a batch together whatever dies. After a power cut the views may be behind the log.
  // What was deleted is overwritten in the file, and never goes to a temporary file.
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY');
  // The writer checkpoints by itself, for more has to be done with the pages then.
  db.exec('PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 0');
  if (opened !== 'found') {
    db.exec(`BEGIN; ${TABLES}`);
    if (space !== undefined) db.prepare('INSERT INTO made_for VALUES (?)').run(space);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
  }
}

/** The vector space that the views were made for. */
export function madeFor(db: DatabaseSync): string | null {
  const row = db.prepare('SELECT space FROM made_for').get() as { space: string } | undefined;
  return row?.space ?? null;
}

/** @throws Error where the file is absent; ViewsDamagedError where it has another shape: a writer makes it */
export function openForReading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
  const isOurs = pragma(db, 'application_id') === APPLICATION_ID && pragma(db, 'user_version') === SCHEMA_VERSION;
  if (!isOurs || !hasTable(db, 'read_models')) {
    db.close();
    throw new ViewsDamagedError(
      'the views have another shape than this version reads; they must be opened for writing first',
    );
  }
  db.exec('PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192');
  return db;
}

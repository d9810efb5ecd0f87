import { existsSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isDamage, ViewsDamagedError } from './damage.ts';
import { hasTable } from './read-models.ts';

/**
 * Raised with every change of the tables here; a file of another version is replaced. Read models have versions of
 * their own.
 */
const SCHEMA_VERSION = 5;

/** Marks the file ("mnem"), so that a foreign database is not taken for an old version of the views. */
const APPLICATION_ID = 0x6d6e656d;

/**
 * `checkpoint`: `written` is how far the views are apart from units that are missing. `made_for`: vector space of the views, if
 * it is known.
 */
const TABLES = `
  CREATE TABLE checkpoint (one INTEGER PRIMARY KEY CHECK (one = 1), position TEXT NOT NULL, written TEXT NOT NULL) STRICT;
  CREATE TABLE made_for (space TEXT NOT NULL) STRICT;
`;

/** Bytes. Most entries have 2 to 10 KB: with pages of 8 KB, a cold read took twice as many steps. */
export const PAGE_SIZE = 16384;

/** Milliseconds that a connection waits for a lock. */
export const BUSY_MS = 5_000;

/** `found`: the file existed. `created`: it did not. `dropped`: it was unusable and was replaced by an empty one. */
export type OpenOutcome = 'found' | 'created' | 'dropped';

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
  for (const part of ['', '-wal', '-shm', '-reserve']) rmSync(path + part, { force: true });
}

/** Gives the views at `by` the name of those at `path`. Nothing may have one of the two open. */
export function replaceViews(path: string, by: string): void {
  // A write-ahead log must meet neither the new file nor, after a crash, half of the old one.
  if (existsSync(`${path}-wal`)) removeViews(path);
  renameSync(by, path);
}

/**
 * Opens the only writing connection. A file of another shape is replaced by an empty one: it is rebuilt from the log,
 * never migrated.
 * @param space of a file that is created
 */
export function openForWriting(path: string, space?: string): { db: DatabaseSync; opened: OpenOutcome } {
  let opened: OpenOutcome = existsSync(path) ? 'found' : 'created';
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

/**
 * Opens an existing file beside its writer.
 * @throws ViewsDamagedError if there is none, or an unusable one
 */
export function attachForWriting(path: string): DatabaseSync {
  if (!existsSync(path) || !hasOurShape(path)) throw new ViewsDamagedError(`There are no views in ${path}`);
  const db = new DatabaseSync(path, { timeout: BUSY_MS });
  try {
    prepareForWriting(db, 'found');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function prepareForWriting(db: DatabaseSync, opened: OpenOutcome, space?: string): void {
  db.exec(`PRAGMA page_size = ${PAGE_SIZE}; PRAGMA journal_mode = WAL`);
  // NORMAL keeps rows and checkpoint of a batch together after any crash. After a power failure the views may be
  // behind.
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY');
  // The writer checkpoints by itself, because it has to scrub the pages then.
  db.exec('PRAGMA cache_size = -12288; PRAGMA wal_autocheckpoint = 0');
  if (opened !== 'found') {
    db.exec(`BEGIN; ${TABLES}`);
    if (space !== undefined) db.prepare('INSERT INTO made_for VALUES (?)').run(space);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
  }
}

/** Returns the vector space that the views were created for. */
export function madeFor(db: DatabaseSync): string | null {
  const row = db.prepare('SELECT space FROM made_for').get() as { space: string } | undefined;
  return row?.space ?? null;
}

/** @throws Error if there is no file; ViewsDamagedError if it has another shape: a writer has to open it first */
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

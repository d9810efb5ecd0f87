import { existsSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isDamage, ViewsDamagedError } from './damage.ts';

/** Raised with every change of the tables or of what is written in them: a file of another version is built anew. */
export const SCHEMA_VERSION = 3;

/** Marks a file as ours ("mnem"), so that a foreign database is not taken for an old version of the views. */
const APPLICATION_ID = 0x6d6e656d;

/**
 * Numbers of documents: see numbers.ts. Strings of callers: see text.ts.
 *
 * - `made_for`: the vector space that the views were made for, where it was said.
 * - `partitions`: the exact tag sets. The counters are sums over the documents of the partition; `changed` is the newest
 *   place in `entry_log` that concerns it. AUTOINCREMENT, for a number that came back would meet resident entries of the
 *   partition that had it before.
 * - `documents.row`: the row as JSON without its metadata; the columns beside it repeat what is searched and sorted by.
 *   Both list indexes hold all that a page and a total need. The one by space finds documents to embed again after a
 *   change of the model.
 * - `metadata`: what filters look at, made by `metadataRows`. `folded` is null where folding changes nothing.
 * - `chunk_entries`, `memory_entries`: what a search scans, a row a document.
 * - `entry_log`: which documents' entries changed, in order, without what they were; only its newest part is kept.
 */
const TABLES = `
  CREATE TABLE checkpoint (one INTEGER PRIMARY KEY CHECK (one = 1), position TEXT NOT NULL) STRICT;
  CREATE TABLE made_for (space TEXT NOT NULL) STRICT;

  CREATE TABLE partitions (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    organization TEXT NOT NULL,
    tags TEXT NOT NULL,
    documents INTEGER NOT NULL DEFAULT 0,
    chunk_entries INTEGER NOT NULL DEFAULT 0,
    chunk_bytes INTEGER NOT NULL DEFAULT 0,
    memory_entries INTEGER NOT NULL DEFAULT 0,
    memory_bytes INTEGER NOT NULL DEFAULT 0,
    changed INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX partitions_by_tags ON partitions (organization, tags);
  CREATE TABLE partition_tags (
    organization TEXT NOT NULL,
    tag TEXT NOT NULL,
    partition INTEGER NOT NULL,
    PRIMARY KEY (organization, tag, partition)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE spaces (no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;

  CREATE TABLE documents (
    no INTEGER PRIMARY KEY,
    partition INTEGER NOT NULL,
    organization TEXT NOT NULL,
    id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    stage INTEGER NOT NULL,
    space INTEGER NOT NULL,
    custom_id TEXT,
    source TEXT,
    filepath TEXT,
    metadata TEXT,
    row TEXT NOT NULL,
    UNIQUE (organization, id)
  ) STRICT;
  CREATE INDEX documents_of_organization ON documents (organization, created_at, id, updated_at, stage);
  CREATE INDEX documents_of_partition ON documents (partition, created_at, id, updated_at, stage);
  CREATE INDEX documents_by_custom_id ON documents (organization, custom_id) WHERE custom_id IS NOT NULL;
  CREATE INDEX documents_by_filepath ON documents (organization, filepath) WHERE filepath IS NOT NULL;
  CREATE INDEX documents_unfinished ON documents (updated_at, organization, id) WHERE stage < 5;
  CREATE INDEX documents_by_space ON documents (space, updated_at, organization, id) WHERE stage = 5;

  CREATE TABLE metadata (
    document INTEGER NOT NULL,
    key TEXT NOT NULL,
    place INTEGER NOT NULL,
    text TEXT NOT NULL,
    folded TEXT,
    number REAL,
    is_number INTEGER NOT NULL,
    whole INTEGER NOT NULL,
    element INTEGER NOT NULL,
    PRIMARY KEY (document, key, place)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE units (
    document INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    id TEXT NOT NULL,
    text TEXT NOT NULL,
    speaker TEXT,
    PRIMARY KEY (document, kind, ordinal)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE chunk_entries (no INTEGER PRIMARY KEY, space INTEGER NOT NULL, entry BLOB NOT NULL) STRICT;
  CREATE TABLE memory_entries (no INTEGER PRIMARY KEY, space INTEGER NOT NULL, entry BLOB NOT NULL) STRICT;

  CREATE TABLE entry_log (change INTEGER PRIMARY KEY, document INTEGER NOT NULL) STRICT;
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
  if (pragma(db, 'application_id') !== APPLICATION_ID || pragma(db, 'user_version') !== SCHEMA_VERSION) {
    db.close();
    throw new ViewsDamagedError(
      'the views have another shape than this version reads; they must be opened for writing first',
    );
  }
  db.exec('PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192');
  return db;
}

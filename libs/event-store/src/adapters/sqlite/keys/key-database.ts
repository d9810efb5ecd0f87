import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { MnemeError } from '#kernel';

const SCHEMA_VERSION = 1;
/** How long one connection waits for another. Milliseconds. */
export const BUSY_TIMEOUT = 5_000;

/**
 * Rows are only appended, and a secret only changes to NULL in place: a B-tree that moves rows between pages leaves copies
 * of them in the gaps, which secure_delete does not overwrite.
 */
const SCHEMA = `
  CREATE TABLE keys (no INTEGER PRIMARY KEY, stream BLOB NOT NULL, id BLOB NOT NULL, secret BLOB) STRICT;
  CREATE UNIQUE INDEX live_keys ON keys (stream, id) WHERE secret IS NOT NULL;
`;

/** The database was written by a newer version of the program. */
class NewerKeysError extends MnemeError {
  override readonly name = 'NewerKeysError';
  override readonly kind = 'permanent';
  override readonly code = 'newer_schema';
}

/** A key as it is stored. `stream`: 64 hexadecimal digits, `id`: 32. */
export type KeyRow = readonly [stream: string, id: string, secret: Uint8Array];

/** The keys as functions on an open database. Call those that write inside a transaction. */
export interface KeyTable {
  put(row: KeyRow): void;
  get(stream: string, id: string): Uint8Array | null;
  /** Returns whether there was a key. */
  destroy(stream: string): boolean;
  /** Returns those of these streams that have keys. */
  among(streams: readonly string[]): string[];
}

/** Opens `stream-keys.db`, and creates it if it does not exist. @throws NewerKeysError */
export function openKeyDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT });
  try {
    const { user_version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
    if (user_version > SCHEMA_VERSION) {
      throw new NewerKeysError(
        `${path} has schema version ${user_version}; this program knows ${SCHEMA_VERSION}. Run the version that wrote it.`,
      );
    }
    // Without journal_size_limit the write-ahead log keeps its length after a checkpoint, and with it destroyed keys.
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

export function keyTable(db: DatabaseSync): KeyTable {
  const insert = db.prepare(`
    INSERT INTO keys (stream, id, secret) VALUES (?, ?, ?)
    ON CONFLICT (stream, id) WHERE secret IS NOT NULL DO UPDATE SET secret = excluded.secret
  `);
  const clear = db.prepare('UPDATE keys SET secret = NULL WHERE stream = ? AND secret IS NOT NULL');
  const find = db.prepare('SELECT 1 FROM keys WHERE stream = ? AND secret IS NOT NULL LIMIT 1');
  const select = db.prepare('SELECT secret FROM keys WHERE stream = ? AND id = ? AND secret IS NOT NULL');
  for (const statement of [find, select]) statement.setReturnArrays(true);
  return {
    put: ([stream, id, secret]) => void insert.run(bytes(stream), bytes(id), secret),
    get: (stream, id) => rowOf<Uint8Array>(select, bytes(stream), bytes(id)) ?? null,
    destroy: (stream) => clear.run(bytes(stream)).changes > 0,
    among: (streams) => streams.filter((stream) => rowOf(find, bytes(stream)) !== undefined),
  };
}

/** Returns the only column of the only row. */
function rowOf<T>(statement: StatementSync, ...values: SQLInputValue[]): T | undefined {
  return (statement.get(...values) as unknown as readonly [T] | undefined)?.[0];
}

const bytes = (hexadecimal: string): Uint8Array => Buffer.from(hexadecimal, 'hex');

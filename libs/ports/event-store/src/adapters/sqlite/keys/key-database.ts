import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { openErasingDatabase } from '#platform/sqlite';

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
  CREATE INDEX destroyed_keys ON keys (stream) WHERE secret IS NULL;
`;

/** A key as it is stored. `stream`: 64 hexadecimal digits, `id`: 32. */
export type KeyRow = readonly [stream: string, id: string, secret: Uint8Array];

/** The keys as functions on an open database. Call those that write inside a transaction. */
export interface KeyTable {
  put(row: KeyRow): void;
  get(stream: string, id: string): Uint8Array | null;
  /** Returns whether there was a key. */
  destroy(stream: string): boolean;
  /** Whether a key of the stream was destroyed. */
  isDestroyed(stream: string): boolean;
  /** Returns those of these streams that have keys. */
  among(streams: readonly string[]): string[];
}

/** Opens `stream-keys.db`, and creates it if it does not exist. @throws NewerSchemaError */
export function openKeyDatabase(path: string): DatabaseSync {
  return openErasingDatabase(path, {
    ...{ version: SCHEMA_VERSION, busyTimeout: BUSY_TIMEOUT, cacheKib: 8_000 },
    create: (db) => db.exec(SCHEMA),
  });
}

export function keyTable(db: DatabaseSync): KeyTable {
  const insert = db.prepare(`
    INSERT INTO keys (stream, id, secret) VALUES (?, ?, ?)
    ON CONFLICT (stream, id) WHERE secret IS NOT NULL DO UPDATE SET secret = excluded.secret
  `);
  const clear = db.prepare('UPDATE keys SET secret = NULL WHERE stream = ? AND secret IS NOT NULL');
  const find = db.prepare('SELECT 1 FROM keys WHERE stream = ? AND secret IS NOT NULL LIMIT 1');
  const findEmptied = db.prepare('SELECT 1 FROM keys WHERE stream = ? AND secret IS NULL LIMIT 1');
  const select = db.prepare('SELECT secret FROM keys WHERE stream = ? AND id = ? AND secret IS NOT NULL');
  for (const statement of [find, findEmptied, select]) statement.setReturnArrays(true);
  return {
    put: ([stream, id, secret]) => void insert.run(bytes(stream), bytes(id), secret),
    get: (stream, id) => rowOf<Uint8Array>(select, bytes(stream), bytes(id)) ?? null,
    destroy: (stream) => clear.run(bytes(stream)).changes > 0,
    isDestroyed: (stream) => rowOf(findEmptied, bytes(stream)) !== undefined,
    among: (streams) => streams.filter((stream) => rowOf(find, bytes(stream)) !== undefined),
  };
}

/** Returns the only column of the only row. */
function rowOf<T>(statement: StatementSync, ...values: SQLInputValue[]): T | undefined {
  return (statement.get(...values) as unknown as readonly [T] | undefined)?.[0];
}

const bytes = (hexadecimal: string): Uint8Array => Buffer.from(hexadecimal, 'hex');

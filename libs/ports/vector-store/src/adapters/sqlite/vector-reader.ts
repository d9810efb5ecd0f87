import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { translatingSqlite } from '#platform/sqlite';
import { keyBytes } from '../../keys.ts';
import type { QuantizedVector } from '../../port.ts';
import { openVectorDatabaseToRead } from './schema.ts';

/** Reads synchronously, for threads that need very many vectors. */
export interface VectorReader {
  /** Returns vectors in the order of `keys`; null for a key that is not stored. Includes every `put` that has resolved. */
  get(keys: readonly string[]): (QuantizedVector | null)[];
  close(): void;
}

/** @param path of `vectors.db`; while the file does not exist, every key is unknown */
export function openVectorReader(path: string): VectorReader {
  let db: DatabaseSync | null = null;
  let get: VectorReader['get'] | null = null;
  const open = (): VectorReader['get'] | null => {
    if (!existsSync(path)) return null;
    db = openVectorDatabaseToRead(path);
    return vectorLookup(db);
  };
  return {
    get: (keys) => {
      return translatingSqlite(() => {
        get ??= open();
        return get ? get(keys) : keys.map(() => null);
      });
    },
    close: () => db?.close(),
  };
}

export function vectorLookup(db: DatabaseSync): VectorReader['get'] {
  const select = db.prepare('SELECT vector FROM vectors WHERE key = ?');
  select.setReturnArrays(true);
  const lookUp = (key: string): QuantizedVector | null => {
    const row = select.get(keyBytes(key)) as unknown as readonly [QuantizedVector] | undefined;
    return row ? row[0] : null;
  };
  return (keys) => {
    // One transaction, because SQLite would otherwise lock and unlock for every key.
    db.exec('BEGIN');
    try {
      return keys.map(lookUp);
    } finally {
      db.exec('COMMIT');
    }
  };
}

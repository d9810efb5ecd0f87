import type { DatabaseSync } from 'node:sqlite';
import type { QuantizedVector } from '../../port.ts';
import { keyBytes, openVectorDatabaseToRead } from './schema.ts';

/** Reads on the thread that calls it: for those who need very many vectors and have a thread of their own. */
export interface VectorReader {
  /** In the order of `keys`; null where there is none. Sees everything whose `put` had resolved before. */
  get(keys: readonly string[]): (QuantizedVector | null)[];
  close(): void;
}

/** @param path of a `vectors.db` that a SqliteVectorCache has opened before */
export function openVectorReader(path: string): VectorReader {
  const db = openVectorDatabaseToRead(path);
  const get = vectorLookup(db);
  return { get, close: () => db.close() };
}

export function vectorLookup(db: DatabaseSync): VectorReader['get'] {
  const select = db.prepare('SELECT vector FROM vectors WHERE key = ?');
  select.setReturnArrays(true);
  const lookUp = (key: string): QuantizedVector | null => {
    const row = select.get(keyBytes(key)) as unknown as readonly [QuantizedVector] | undefined;
    return row ? row[0] : null;
  };
  return (keys) => {
    // One transaction: SQLite would take and give back its locks for every key.
    db.exec('BEGIN');
    try {
      return keys.map(lookUp);
    } finally {
      db.exec('COMMIT');
    }
  };
}

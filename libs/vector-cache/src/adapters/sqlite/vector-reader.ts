import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { translatingSqlite } from '#sqlite';
import { keyBytes } from '../../keys.ts';
import type { QuantizedVector } from '../../port.ts';
import { openVectorDatabaseToRead } from './schema.ts';

/** Reads on the thread that calls it: for those who need very many vectors and have a thread of their own. */
export interface VectorReader {
  /** In the order of `keys`; null where there is none. Sees everything whose `put` had resolved before. */
  get(keys: readonly string[]): (QuantizedVector | null)[];
  close(): void;
}

/** @param path of a `vectors.db`; as long as the file is not there, it holds nothing */
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
    // One transaction: SQLite would take and give back its locks for every key.
    db.exec('BEGIN');
    try {
      return keys.map(lookUp);
    } finally {
      db.exec('COMMIT');
    }
  };
}

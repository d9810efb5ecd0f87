/** The thread that owns the writing connection: a sync to the disk must not stop the thread that serves requests. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { translateSqliteError, translatingCalls, truncateWal, WalCleaner } from '#sqlite';
import { serve, serveError } from '#threads';
import type { QuantizedVector } from '../../port.ts';
import { BUSY_TIMEOUT, openVectorDatabase } from './schema.ts';
import { type VectorRow, vectorTables } from './vector-tables.ts';

export interface VectorApi {
  ready(): void;
  get(keys: readonly string[]): (QuantizedVector | null)[];
  put(owner: string, rows: readonly VectorRow[]): Promise<void>;
  claim(owner: string, keys: readonly string[]): Promise<string[]>;
  release(owner: string, except: readonly string[]): Promise<void>;
  close(): void;
}

/** Milliseconds from an erasure until the write-ahead log is emptied. */
const TRUNCATE_DELAY = 2_000;

interface Write {
  run(): unknown;
  resolve(result: never): void;
  reject(error: unknown): void;
}

function serveVectors(port: MessagePort, path: string): void {
  const db = openVectorDatabase(path);
  const tables = vectorTables(db);
  let waiting: Write[] = [];
  /** A database that cannot be written fails the next write, not this thread. */
  const truncate = (): boolean => {
    try {
      return truncateWal(db, BUSY_TIMEOUT) === 'done';
    } catch {
      return false;
    }
  };
  const cleaner = new WalCleaner(truncate, TRUNCATE_DELAY);

  /** Group commit: the writes that arrived during one sync to the disk share the next, and succeed or fail together. */
  const commit = (): void => {
    const writes = waiting;
    waiting = [];
    if (writes.length === 0) return;
    try {
      db.exec('BEGIN IMMEDIATE');
      const results = writes.map((write) => write.run());
      db.exec('COMMIT');
      for (const [i, write] of writes.entries()) write.resolve(results[i] as never);
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (db.isTransaction) db.exec('ROLLBACK');
      for (const write of writes) write.reject(error);
    }
  };
  const write = <T>(run: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(commit);
      waiting.push({ run, resolve, reject });
    });

  // A process that was killed may have left erased vectors in the log.
  cleaner.request();

  const api: VectorApi = {
    ready: () => {},
    get: (keys) => tables.get(keys),
    put: (owner, rows) => write(() => tables.put(owner, rows)),
    claim: (owner, keys) => write(() => tables.claim(owner, keys)),
    release: (owner, except) =>
      write(() => {
        if (tables.release(owner, except)) cleaner.request();
      }),
    close: () => {
      commit();
      cleaner.stop();
      truncate();
      db.close();
    },
  };
  serve<VectorApi>(port, translatingCalls(api));
}

const port = parentPort as MessagePort;
try {
  serveVectors(port, workerData as string);
} catch (error) {
  serveError(port, translateSqliteError(error));
}

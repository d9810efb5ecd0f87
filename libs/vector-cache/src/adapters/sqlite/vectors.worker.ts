/** The thread that owns the writing connection: a sync to the disk must not stop the thread that serves requests. */
import { parentPort, workerData } from 'node:worker_threads';
import { serve } from '#threads';
import type { QuantizedVector } from '../../port.ts';
import { openVectorDatabase } from './schema.ts';
import { type VectorRow, vectorTables } from './vector-tables.ts';

export interface VectorApi {
  ready(): void;
  get(keys: readonly string[]): (QuantizedVector | null)[];
  put(owner: string, rows: readonly VectorRow[]): Promise<void>;
  claim(owner: string, keys: readonly string[]): Promise<string[]>;
  release(owner: string, except: readonly string[]): Promise<void>;
  close(): void;
}

/** Milliseconds from an erasure until the write-ahead log, which holds the erased too, is emptied. */
const TRUNCATE_DELAY = 2000;

interface Write {
  run(): unknown;
  resolve(result: never): void;
  reject(error: unknown): void;
}

const db = openVectorDatabase(workerData as string);
const tables = vectorTables(db);
let waiting: Write[] = [];
let truncation: NodeJS.Timeout | undefined;

/** Group commit: the writes that arrived during one sync to the disk share the next, and succeed or fail together. */
function commit(): void {
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
}

function write<T>(run: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    if (waiting.length === 0) setImmediate(commit);
    waiting.push({ run, resolve, reject });
  });
}

function truncateLater(): void {
  truncation ??= setTimeout(() => {
    truncation = undefined;
    if (!truncate()) truncateLater();
  }, TRUNCATE_DELAY);
}

/** False: a reader was in the way, or there was no room. */
function truncate(): boolean {
  try {
    const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
    return busy === 0;
  } catch {
    return false;
  }
}

// What a process that was killed had erased is still in the log.
truncateLater();

serve<VectorApi>(parentPort!, {
  ready: () => {},
  get: (keys) => tables.get(keys),
  put: (owner, rows) => write(() => tables.put(owner, rows)),
  claim: (owner, keys) => write(() => tables.claim(owner, keys)),
  release: (owner, except) =>
    write(() => {
      if (tables.release(owner, except)) truncateLater();
    }),
  close: () => {
    commit();
    clearTimeout(truncation);
    truncate();
    db.close();
  },
});

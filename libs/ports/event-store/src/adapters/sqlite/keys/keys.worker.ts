/** Owns the writing connection, because a sync to the disk must not block the thread that serves requests. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { ErasingCommits, translatingCalls, translatingDamage } from '#platform/sqlite';
import { serve, serveError } from '#platform/thread-calls';
import { BUSY_TIMEOUT, type KeyTable, keyTable, openKeyDatabase } from './key-database.ts';

/** Streams are named by hashes of 64 hexadecimal digits, keys by ids of 32. */
export interface KeysApi {
  /** Resolves when the database is open. */
  ready(): void;
  put(stream: string, id: string, secret: Uint8Array): Promise<void>;
  get(stream: string, id: string): Uint8Array | null;
  destroy(stream: string): Promise<void>;
  isDestroyed: KeyTable['isDestroyed'];
  among: KeyTable['among'];
  /** Serves another client; the port moves to the thread. */
  attach(port: unknown): void;
  close(): void;
}

/** Between the destruction of a key and the truncation of the write-ahead log. Milliseconds. */
const TRUNCATE_DELAY = 1_000;

const port = parentPort as MessagePort;
const path = workerData as string;
const translate = translatingDamage(path, 'Restore it from a backup: the log is unreadable without it.');

function serveKeys(port: MessagePort, path: string): void {
  const db = openKeyDatabase(path);
  const table = keyTable(db);
  const commits = new ErasingCommits(db, path, { busyTimeout: BUSY_TIMEOUT, truncateDelay: TRUNCATE_DELAY });
  const api: KeysApi = {
    ready: () => {},
    put: (stream, id, secret) => commits.add(() => table.put([stream, id, secret])),
    get: table.get,
    destroy: (stream) => commits.erase(() => table.destroy(stream)),
    isDestroyed: table.isDestroyed,
    among: table.among,
    attach: (port) => void serve<KeysApi>(port as MessagePort, translatingCalls(api, translate)),
    close: () => {
      commits.close();
      db.close();
    },
  };
  serve<KeysApi>(port, translatingCalls(api, translate));
}

try {
  serveKeys(port, path);
} catch (error) {
  serveError(port, translate(error));
}

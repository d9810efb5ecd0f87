/** Owns the writing connection, because a sync to the disk must not block the thread that serves requests. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import {
  GroupCommit,
  inTransaction,
  logBytes,
  SpaceReserve,
  translatingCalls,
  translatingDamage,
  truncateWal,
  WalCleaner,
} from '#sqlite';
import { serve, serveError } from '#threads';
import { BUSY_TIMEOUT, type KeyTable, keyTable, openKeyDatabase } from './key-database.ts';
import { takeOverFiles } from './key-files.ts';

/** Streams are named by hashes of 64 hexadecimal digits, keys by ids of 32. */
export interface KeysApi {
  /** To be called before all others. */
  ready(): Promise<void>;
  put(stream: string, id: string, secret: Uint8Array): Promise<void>;
  get(stream: string, id: string): Uint8Array | null;
  destroy(stream: string): Promise<void>;
  among: KeyTable['among'];
  /** Serves another client; the port moves to the thread. */
  attach(port: unknown): void;
  close(): void;
}

/** Between the destruction of a key and the truncation of the write-ahead log. Milliseconds. */
const TRUNCATE_DELAY = 1_000;

const MIB = 1024 * 1024;
/** Space that is reserved for destructions on a full disk, at least and at most. Bytes. */
const RESERVED = { least: MIB, most: 16 * MIB };

const port = parentPort as MessagePort;
const path = workerData as string;
const translate = translatingDamage(path, 'Restore it from a backup: the log is unreadable without it.');

function serveKeys(port: MessagePort, path: string): void {
  const db = openKeyDatabase(path);
  const table = keyTable(db);
  const reserve = new SpaceReserve(`${path}-reserve`);
  // As much as the write-ahead log has, so that it can be copied into the database.
  const holdReserve = () => reserve.hold(Math.min(Math.max(logBytes(path), RESERVED.least), RESERVED.most));
  const commits = new GroupCommit({
    transaction: (work) => inTransaction(db, work),
    committed: (isDestroyed) => {
      if (isDestroyed) cleaner.request();
      holdReserve();
    },
    reserve,
    truncate: () => truncate(),
  });
  /** Ignores errors: the next write reports a database that cannot be written. */
  const truncate = (): boolean => {
    try {
      const truncated = truncateWal(db, BUSY_TIMEOUT);
      return (truncated === 'full' ? reserve.use(() => truncateWal(db, BUSY_TIMEOUT)) : truncated) === 'done';
    } catch {
      return false;
    }
  };
  const cleaner = new WalCleaner(truncate, TRUNCATE_DELAY);

  holdReserve();
  // A process that was killed may have left destroyed keys in the log.
  cleaner.request();

  const api: KeysApi = {
    ready: () => takeOverFiles(db, table, path),
    put: (stream, id, secret) => commits.add(() => table.put([stream, id, secret])),
    get: table.get,
    destroy: (stream) => commits.add(() => table.destroy(stream), true),
    among: table.among,
    attach: (port) => void serve<KeysApi>(port as MessagePort, translatingCalls(api, translate)),
    close: () => {
      commits.flush();
      cleaner.stop();
      truncate();
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

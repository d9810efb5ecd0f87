/** Owns the writing connection, because a sync to the disk must not block the thread that serves requests. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import {
  type CopyApi,
  GroupCommit,
  inTransaction,
  logBytes,
  OnlineCopies,
  SpaceReserve,
  translatingCalls,
  translatingDamage,
  truncateWal,
  WalCleaner,
} from '#sqlite';
import { type Served, serve, serveError } from '#threads';
import type { QuantizedVector } from '../../port.ts';
import { BUSY_TIMEOUT, openVectorDatabase } from './schema.ts';
import { type VectorOwner, type VectorRow, vectorTables } from './vector-tables.ts';

export interface VectorApi extends CopyApi {
  ready(): void;
  get(keys: readonly string[]): (QuantizedVector | null)[];
  put(owner: string, rows: readonly VectorRow[]): Promise<void>;
  claim(owner: string, keys: readonly string[]): Promise<string[]>;
  release(owner: string, except: readonly string[]): Promise<void>;
  /** A page of owners, by their numbers. */
  owners(after: number, limit: number): readonly VectorOwner[];
  close(): Promise<void>;
}

/** Between an erasure and the truncation of the write-ahead log. Milliseconds. */
const TRUNCATE_DELAY = 2_000;

const MIB = 1024 * 1024;
/** Space that is reserved for erasures on a full disk, at least and at most: while a backup reads, the log has no limit. Bytes. */
const RESERVED = { least: MIB, most: 16 * MIB };

const port = parentPort as MessagePort;
const path = workerData as string;
const translate = translatingDamage(path, 'Delete it while no server runs: the vectors are made again when needed.');

function serveVectors(port: MessagePort, path: string): void {
  const db = openVectorDatabase(path);
  const tables = vectorTables(db);
  const reserve = new SpaceReserve(`${path}-reserve`);
  // As much as the write-ahead log has, so that it can be copied into the database.
  const holdReserve = () => reserve.hold(Math.min(Math.max(logBytes(path), RESERVED.least), RESERVED.most));
  const commits = new GroupCommit({
    transaction: (work) => inTransaction(db, work),
    committed: holdReserve,
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
  // A process that was killed may have left erased vectors in the log.
  cleaner.request();

  const copies = new OnlineCopies(db, (topic, value) => client.notify(topic, value));
  const api: VectorApi = {
    ready: () => {},
    get: (keys) => tables.get(keys),
    put: (owner, rows) => commits.add(() => tables.put(owner, rows)),
    claim: (owner, keys) => commits.add(() => tables.claim(owner, keys)),
    release: (owner, except) =>
      commits.add(() => {
        if (tables.release(owner, except)) cleaner.request();
      }, true),
    owners: (after, limit) => tables.owners(after, limit),
    copy: (path) => copies.copy(path),
    cancelCopies: () => copies.cancelCopies(),
    close: async () => {
      await copies.cancelCopies();
      commits.flush();
      cleaner.stop();
      truncate();
      db.close();
    },
  };
  const client: Served = serve<VectorApi>(port, translatingCalls(api, translate));
}

try {
  serveVectors(port, path);
} catch (error) {
  serveError(port, translate(error));
}

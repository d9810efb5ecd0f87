/** Owns the writing connection, because a sync to the disk must not block the thread that serves requests. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type CopyApi, ErasingCommits, OnlineCopies, translatingCalls, translatingDamage } from '#platform/sqlite';
import { type Served, serve, serveError } from '#platform/thread-calls';
import type { QuantizedVector } from '../../port.ts';
import { BUSY_TIMEOUT, openVectorDatabase } from './schema.ts';
import { type VectorOwner, type VectorRow, vectorTables } from './vector-tables.ts';

export interface VectorApi extends CopyApi {
  ready(): void;
  get(keys: readonly string[]): (QuantizedVector | null)[];
  put(owner: string, rows: readonly VectorRow[]): Promise<void>;
  claim(owner: string, keys: readonly string[]): Promise<string[]>;
  release(owner: string, except: readonly string[], heir?: string): Promise<void>;
  /** A page of owners, by their numbers. */
  owners(after: number, limit: number): readonly VectorOwner[];
  close(): Promise<void>;
}

/** Between an erasure and the truncation of the write-ahead log. Milliseconds. */
const TRUNCATE_DELAY = 2_000;

const port = parentPort as MessagePort;
const path = workerData as string;
const translate = translatingDamage(path, 'Delete it while no server runs: the vectors are made again when needed.');

function serveVectors(port: MessagePort, path: string): void {
  const db = openVectorDatabase(path);
  const tables = vectorTables(db);
  const commits = new ErasingCommits(db, path, { busyTimeout: BUSY_TIMEOUT, truncateDelay: TRUNCATE_DELAY });
  const copies = new OnlineCopies(db, (topic, value) => client.notify(topic, value));
  const api: VectorApi = {
    ready: () => {},
    get: (keys) => tables.get(keys),
    put: (owner, rows) => commits.add(() => tables.put(owner, rows)),
    claim: (owner, keys) => commits.add(() => tables.claim(owner, keys)),
    release: (owner, except, heir) => commits.erase(() => tables.release(owner, except, heir)),
    owners: (after, limit) => tables.owners(after, limit),
    copy: (path) => copies.copy(path),
    cancelCopies: () => copies.cancelCopies(),
    close: async () => {
      await copies.cancelCopies();
      commits.close();
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

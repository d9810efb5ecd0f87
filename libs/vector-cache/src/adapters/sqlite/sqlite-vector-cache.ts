import type { Worker } from 'node:worker_threads';
import { connect, type Remote, startWorker } from '#threads';
import type { QuantizedVector, VectorCache } from '../../port.ts';
import { keyBytes } from './schema.ts';
import type { VectorRow } from './vector-tables.ts';
import type { VectorApi } from './vectors.worker.ts';

/** The vector cache in one SQLite file, written by a thread of its own. Calls are worked off in the order they are made. */
export class SqliteVectorCache implements VectorCache {
  readonly #worker: Worker;
  readonly #remote: Remote<VectorApi>;

  /** @param path of `vectors.db`, made if it is not there; its folder must be. @throws when it cannot be opened */
  static async open(path: string): Promise<SqliteVectorCache> {
    const worker = startWorker(new URL('./vectors.worker.ts', import.meta.url), path);
    const remote = connect<VectorApi>(worker);
    await remote.call('ready');
    return new SqliteVectorCache(worker, remote);
  }

  private constructor(worker: Worker, remote: Remote<VectorApi>) {
    this.#worker = worker;
    this.#remote = remote;
  }

  async get(keys: readonly string[]): Promise<readonly (QuantizedVector | null)[]> {
    keys.forEach(keyBytes);
    return this.#remote.call('get', keys);
  }

  /** @throws TypeError for a key that is no hash; nothing of the call is stored */
  async put(owner: string, entries: readonly VectorRow[]): Promise<void> {
    // Checked here: writes that share a commit fail together, and one caller's mistake must not be another's.
    for (const { key } of entries) keyBytes(key);
    await this.#remote.call('put', owner, entries);
  }

  async claim(owner: string, keys: readonly string[]): Promise<readonly string[]> {
    keys.forEach(keyBytes);
    return this.#remote.call('claim', owner, keys);
  }

  async release(owner: string, except: readonly string[] = []): Promise<void> {
    except.forEach(keyBytes);
    await this.#remote.call('release', owner, except);
  }

  async close(): Promise<void> {
    await this.#remote.call('close');
    this.#remote.close();
    await this.#worker.terminate();
  }
}

import { existsSync } from 'node:fs';
import { copyDatabase, type OnCopied } from '#platform/sqlite';
import { type Remote, RestartableThread, startThread } from '#platform/thread-calls';
import { keyBytes } from '../../keys.ts';
import type { QuantizedVector, VectorStore } from '../../port.ts';
import type { VectorOwner, VectorRow } from './vector-tables.ts';
import type { VectorApi } from './vectors.worker.ts';

const OWNERS_AT_ONCE = 1_000;

export interface SqliteVectorStoreOptions {
  /** Called when the thread was lost. */
  readonly warn?: (message: string) => void;
}

/**
 * The vector store in one SQLite file, written by a thread of its own, which handles calls in order. Without a file the
 * thread starts with the first call, so that a server without a model does not run it. If it is lost, as for lack of memory,
 * the calls in it reject with ThreadGoneError, and the next call starts another one.
 */
export class SqliteVectorStore implements VectorStore {
  readonly #thread: RestartableThread<VectorApi>;
  #hasFile: boolean;

  /** @param path of `vectors.db`; the first call creates the file. @throws Error if it exists and cannot be opened */
  static async open(path: string, options: SqliteVectorStoreOptions = {}): Promise<SqliteVectorStore> {
    const cache = new SqliteVectorStore(path, options);
    if (cache.#hasFile) await cache.#started();
    return cache;
  }

  private constructor(path: string, { warn = () => {} }: SqliteVectorStoreOptions) {
    this.#thread = new RestartableThread(
      () => startThread(new URL('./vectors.worker.ts', import.meta.url), path, (remote) => remote.call('ready')),
      (message) => warn(`the thread of the vectors was lost and is started again: ${message}`),
    );
    this.#hasFile = existsSync(path);
  }

  async get(keys: readonly string[]): Promise<readonly (QuantizedVector | null)[]> {
    keys.forEach(keyBytes);
    if (!this.#hasFile) return keys.map(() => null);
    return (await this.#started()).call('get', keys);
  }

  /** @throws TypeError for a key that is not a hash; nothing of the call is stored */
  async put(owner: string, entries: readonly VectorRow[]): Promise<void> {
    // Checked here, because an error in the shared transaction costs all of its writes a retry.
    for (const { key } of entries) keyBytes(key);
    await (await this.#started()).call('put', owner, entries);
  }

  async claim(owner: string, keys: readonly string[]): Promise<readonly string[]> {
    keys.forEach(keyBytes);
    return (await this.#started()).call('claim', owner, keys);
  }

  async release(owner: string, except: readonly string[] = [], heir?: string): Promise<void> {
    except.forEach(keyBytes);
    if (!this.#hasFile) return;
    await (await this.#started()).call('release', owner, except, heir);
  }

  async *ownersAmong(owners: ReadonlySet<string>): AsyncGenerator<string> {
    if (!this.#hasFile) return;
    for await (const page of this.owners(OWNERS_AT_ONCE)) yield* page.filter((owner) => owners.has(owner));
  }

  /** Yields the owners in pages; those that are released meanwhile may be missing. */
  async *owners(limit: number): AsyncGenerator<readonly string[]> {
    const remote = await this.#started();
    for (let after = 0; ; ) {
      const page = await remote.call('owners', after, limit);
      if (page.length === 0) return;
      yield page.map(({ name }) => name);
      after = (page.at(-1) as VectorOwner).no;
    }
  }

  /**
   * Writes a copy of the cache to a file that does not exist, while the cache is in use. Durable when it resolves. Returns
   * false if the cache has no file yet.
   * @throws CopyCancelledError
   */
  async copyTo(path: string, options: { readonly onCopied: OnCopied; readonly signal: AbortSignal }): Promise<boolean> {
    if (!this.#hasFile) return false;
    await copyDatabase(await this.#started(), path, options);
    return true;
  }

  close(): Promise<void> {
    return this.#thread.close((remote) => remote.call('close'));
  }

  #started(): Promise<Remote<VectorApi>> {
    this.#hasFile = true;
    return this.#thread.remote();
  }
}

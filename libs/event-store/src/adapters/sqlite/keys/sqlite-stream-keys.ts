import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { contentHash } from '#kernel';
import { connect, type Remote, startWorker } from '#threads';
import type { StreamKeys } from '../../../stream-keys.ts';
import type { KeysApi } from './keys.worker.ts';

/** Streams in one call of the thread, so that it answers other calls in between. */
const STREAMS_AT_ONCE = 1_000;

/**
 * Stream keys in one SQLite file, written by a thread of its own: keys that are stored at the same time share one sync to the
 * disk. A destroyed key is overwritten in the file, and within a second or so in its write-ahead log.
 */
export class SqliteStreamKeys implements StreamKeys {
  readonly #remote: Remote<KeysApi>;
  /** Null: the thread is another client's. */
  readonly #worker: Worker | null;

  /**
   * Starts the thread. Keys that a former version kept in the folder `stream-keys` beside the file are moved into it.
   * @param path created if it does not exist; used by one process at a time
   * @throws NewerSchemaError, DatabaseDamagedError, ResourceError
   */
  static async open(path: string): Promise<SqliteStreamKeys> {
    const worker = startWorker(new URL('./keys.worker.ts', import.meta.url), path);
    const remote = connect<KeysApi>(worker);
    try {
      await remote.call('ready');
      return new SqliteStreamKeys(remote, worker);
    } catch (error) {
      remote.close();
      await worker.terminate();
      throw error;
    }
  }

  /** Connects another thread to the same keys, through a port made by `newClientPort`. */
  static attach(port: MessagePort): SqliteStreamKeys {
    return new SqliteStreamKeys(connect<KeysApi>(port), null);
  }

  private constructor(remote: Remote<KeysApi>, worker: Worker | null) {
    this.#remote = remote;
    this.#worker = worker;
  }

  /** Returns a port for `attach` in another thread. Put it in the transfer list of the message that carries it. */
  async newClientPort(): Promise<MessagePort> {
    const { port1, port2 } = new MessageChannel();
    await this.#remote.callTransferring([port1], 'attach', port1);
    return port2;
  }

  put(stream: string, id: string, key: Uint8Array): Promise<void> {
    return this.#remote.call('put', contentHash(stream), id, key);
  }

  get(stream: string, id: string): Promise<Uint8Array | null> {
    return this.#remote.call('get', contentHash(stream), id);
  }

  destroy(stream: string): Promise<void> {
    return this.#remote.call('destroy', contentHash(stream));
  }

  async among(streams: ReadonlySet<string>): Promise<readonly string[]> {
    const byHash = new Map([...streams].map((stream) => [contentHash(stream), stream]));
    const hashes = [...byHash.keys()];
    const found: string[] = [];
    for (let from = 0; from < hashes.length; from += STREAMS_AT_ONCE) {
      const some = await this.#remote.call('among', hashes.slice(from, from + STREAMS_AT_ONCE));
      for (const hash of some) found.push(byHash.get(hash) as string);
    }
    return found;
  }

  /** Ends the thread if `open` started it; an attached client only disconnects. */
  async close(): Promise<void> {
    if (this.#worker) await this.#remote.call('close');
    this.#remote.close();
    await this.#worker?.terminate();
  }
}

import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { contentHash } from '#platform/kernel';
import {
  connect,
  type Remote,
  RestartableThread,
  type RunningThread,
  serve,
  startThread,
  transferring,
} from '#platform/thread-calls';
import type { StreamKeys } from '../../../stream-keys.ts';
import type { KeysApi } from './keys.worker.ts';

/** Streams in one call of the thread, so that it answers other calls in between. */
const STREAMS_AT_ONCE = 1_000;

/** What the client that owns the thread answers to clients in other threads. */
interface ConnectApi {
  /** Returns a port to the thread as it runs now. */
  connect(): Promise<MessagePort>;
}

export interface SqliteStreamKeysOptions {
  /** Called when the thread was lost. */
  readonly warn?: (message: string) => void;
}

/**
 * Stream keys in one SQLite file, written by a thread of its own: keys that are stored at the same time share one sync to the
 * disk. A destroyed key is overwritten in the file, and within a second or so in its write-ahead log. If the thread is lost, as
 * for lack of memory, the calls in it reject with ThreadGoneError, and the next call starts another one.
 */
export class SqliteStreamKeys implements StreamKeys {
  readonly #thread: RestartableThread<KeysApi>;
  /** Of the client that owns the thread: to clients in other threads. Of those: to the owner. */
  readonly #connections = new Set<{ close(): void }>();
  /** Whether the thread ends with this client. */
  readonly #owns: boolean;

  /**
   * Starts the thread.
   * @param path created if it does not exist; used by one process at a time
   * @throws NewerSchemaError, DatabaseDamagedError, ResourceError
   */
  static async open(path: string, { warn = () => {} }: SqliteStreamKeysOptions = {}): Promise<SqliteStreamKeys> {
    const thread = new RestartableThread<KeysApi>(
      () => startThread(new URL('./keys.worker.ts', import.meta.url), path, (remote) => remote.call('ready')),
      (message) => warn(`the thread of the stream keys was lost and is started again: ${message}`),
    );
    await thread.remote();
    return new SqliteStreamKeys(thread, true);
  }

  /** Connects another thread to the same keys, through a port made by `newClientPort`. */
  static attach(port: MessagePort): SqliteStreamKeys {
    const owner = connect<ConnectApi>(port);
    const keys = new SqliteStreamKeys(new RestartableThread(() => connected(owner)), false);
    keys.#connections.add(owner);
    return keys;
  }

  private constructor(thread: RestartableThread<KeysApi>, owns: boolean) {
    this.#thread = thread;
    this.#owns = owns;
  }

  /** Returns a port for `attach` in another thread. Put it in the transfer list of the message that carries it. */
  newClientPort(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    serve<ConnectApi>(port1, { connect: () => this.#portToThread() });
    this.#connections.add(port1);
    port1.on('close', () => this.#connections.delete(port1));
    return port2;
  }

  async put(stream: string, id: string, key: Uint8Array): Promise<void> {
    return (await this.#thread.remote()).call('put', contentHash(stream), id, key);
  }

  async get(stream: string, id: string): Promise<Uint8Array | null> {
    return (await this.#thread.remote()).call('get', contentHash(stream), id);
  }

  async destroy(stream: string): Promise<void> {
    return (await this.#thread.remote()).call('destroy', contentHash(stream));
  }

  async isDestroyed(stream: string): Promise<boolean> {
    return (await this.#thread.remote()).call('isDestroyed', contentHash(stream));
  }

  async among(streams: ReadonlySet<string>): Promise<readonly string[]> {
    const byHash = new Map([...streams].map((stream) => [contentHash(stream), stream]));
    const hashes = [...byHash.keys()];
    const found: string[] = [];
    for (let from = 0; from < hashes.length; from += STREAMS_AT_ONCE) {
      const some = await (await this.#thread.remote()).call('among', hashes.slice(from, from + STREAMS_AT_ONCE));
      for (const hash of some) found.push(byHash.get(hash) as string);
    }
    return found;
  }

  /** Ends the thread if `open` started it; an attached client only disconnects. */
  async close(): Promise<void> {
    await this.#thread.close(async (remote) => {
      if (this.#owns) await remote.call('close');
    });
    for (const connection of this.#connections) connection.close();
  }

  async #portToThread(): Promise<MessagePort> {
    const { port1, port2 } = new MessageChannel();
    await (await this.#thread.remote()).callTransferring([port1], 'attach', port1);
    return transferring(port2, [port2]);
  }
}

async function connected(owner: Remote<ConnectApi>): Promise<RunningThread<KeysApi>> {
  const remote = connect<KeysApi>(await owner.call('connect'));
  return { remote, end: async () => remote.close() };
}

import { readFile, writeFile } from 'node:fs/promises';
import { deserialize, serialize } from 'node:v8';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { connectNats, type NatsConnection } from '#platform/nats';
import { type NatsServer, startNatsServer } from '../../libs/platform/nats/src/testing/nats-server.ts';
import { Log, type StoredEvent } from '../support/eventstoredb/log.ts';
import { EventStoreDbServer } from '../support/eventstoredb/server.ts';
import { backUpStream, restoreStream, type StreamBackup } from '../support/nats-backup.ts';

const PREFIX = 'baseline';
const STREAMS = [`${PREFIX}-keys`, `${PREFIX}-blobs`];

/** What distributed engines hold that nothing else has: the events, the keys of their payloads, and the blobs. */
export interface DistributedState {
  readonly log: readonly StoredEvent[];
  readonly streams: readonly StreamBackup[];
}

export const writeState = (file: string, state: DistributedState): Promise<void> =>
  writeFile(file, zstdCompressSync(serialize(state)));

export const readState = async (file: string): Promise<DistributedState> =>
  deserialize(zstdDecompressSync(await readFile(file)));

/** EventStoreDB, by the server of the tests, and NATS. The views are in the data folder. */
export class DistributedEngines {
  readonly #nats: NatsServer;
  readonly #database: EventStoreDbServer;

  /** @param state default: they are empty */
  static async start(state: DistributedState = { log: [], streams: [] }): Promise<DistributedEngines> {
    const log = new Log();
    log.restore(state.log);
    const engines = new DistributedEngines(await startNatsServer(), await EventStoreDbServer.start({ log }));
    await engines.#onStreams(state.streams, restoreStream);
    return engines;
  }

  private constructor(nats: NatsServer, database: EventStoreDbServer) {
    this.#nats = nats;
    this.#database = database;
  }

  /** Settings of a server on these engines. */
  get env(): Record<string, string> {
    return { MNEME_EVENTSTORE_URL: this.#database.url, MNEME_NATS_URL: this.#nats.url, MNEME_PREFIX: PREFIX };
  }

  /** Returns a copy of what they hold, when no server works on them. */
  async copy(): Promise<DistributedState> {
    return { log: this.#database.log.copy(), streams: await this.#onStreams(STREAMS, backUpStream) };
  }

  async stop(): Promise<void> {
    await this.#database.stop();
    await this.#nats.remove();
  }

  async #onStreams<S, T>(streams: readonly S[], work: (connection: NatsConnection, one: S) => Promise<T>) {
    const connection = await connectNats({ url: this.#nats.url, name: 'test' });
    try {
      const results: T[] = [];
      for (const one of streams) results.push(await work(connection, one));
      return results;
    } finally {
      await connection.close();
    }
  }
}

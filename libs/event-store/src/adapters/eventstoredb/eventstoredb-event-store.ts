import type { JsonObject } from '#kernel';
import { LiveHead } from '../../live-head.ts';
import type {
  AllSlice,
  AppendChain,
  AppendOptions,
  AppendResult,
  ChainResult,
  EventStore,
  NewEvent,
  Position,
  Removals,
  StreamRange,
  StreamSlice,
} from '../../port.ts';
import { numberOf, parsePosition } from '../../positions.ts';
import type { StreamKeys } from '../../stream-keys.ts';
import { appendChains } from './append-chains.ts';
import { Appender } from './appender.ts';
import { Connection } from './connection.ts';
import { eraseStream, isMarkedErased, marksErasure } from './erasure.ts';
import { LogReader } from './log-reader.ts';
import type { EventStoreDbOptions } from './options.ts';
import { RecordedIds } from './recorded-ids.ts';
import { RemovalLog, removalIn } from './removals.ts';
import { optionsIn, RemovedStreams, resultFrom, sliceFrom } from './removed-streams.ts';
import { lastOfAllRequest, type RecordedMessage } from './requests.ts';
import { erasesItsStream } from './sealing.ts';
import { Snapshots } from './snapshots.ts';
import { identifyStore } from './store-identity.ts';
import { StreamKeyCache } from './stream-key-cache.ts';
import { follow } from './watcher.ts';
import { commitPosition, EVERY_EVENT, streamOf } from './wire.ts';

/**
 * The event log in EventStoreDB. The metadata of an event is its envelope; its data is its payload, sealed with a key of
 * its stream that is stored elsewhere. An erasure is first written to the metadata of the stream, which every client
 * follows, then the keys are destroyed.
 */
export class EventStoreDbEventStore implements EventStore {
  readonly storeId: string;
  readonly #connection: Connection;
  readonly #keys: StreamKeyCache;
  readonly #live = new LiveHead();
  readonly #reader: LogReader;
  readonly #appender: Appender;
  readonly #snapshots: Snapshots;
  readonly #removed: RemovedStreams;
  readonly #removals: RemovalLog;

  /**
   * @throws EventStoreUnreachableError, InvalidEventStoreUrlError, EventStoreAccessDeniedError, ForeignStreamKeysError,
   *   EventStoreTooOldError
   */
  static async open({ url, keys, patience, signal }: EventStoreDbOptions): Promise<EventStoreDbEventStore> {
    const connection = new Connection(url, patience);
    const giveUp = () => connection.close();
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      const storeId = await identifyStore(connection, keys);
      // Checks the right to read the whole log before anything depends on it.
      await connection.retry(() => connection.read(lastOfAllRequest(EVERY_EVENT)));
      return new EventStoreDbEventStore(connection, storeId, keys);
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  private constructor(connection: Connection, storeId: string, streamKeys: StreamKeys) {
    this.storeId = storeId;
    this.#connection = connection;
    const keys = new StreamKeyCache(streamKeys, (stream) => isMarkedErased(connection, stream));
    this.#keys = keys;
    const state = { connection, keys, ids: new RecordedIds(), live: this.#live };
    this.#reader = new LogReader(state);
    this.#appender = new Appender(state);
    this.#snapshots = new Snapshots(connection, keys, this.#reader);
    this.#removed = new RemovedStreams(connection, keys);
    this.#removals = new RemovalLog(connection, this.#removed);
    void follow(connection, {
      onFollowing: (head) => {
        keys.startPeriod();
        this.#removals.notice();
        if (head !== null) this.#live.advance(head);
      },
      onEvent: (message) => this.#notice(message),
      onLost: () => keys.endPeriod(),
    });
  }

  append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<AppendResult> {
    return this.#removed.run(stream, async (place) => {
      const optionsThere = optionsIn(place, options);
      if (optionsThere) return resultFrom(place, await this.#appender.append(place.name, events, optionsThere));
      const { revision } = sliceFrom(place, await this.#reader.readStream(place.name, {}));
      return { ok: false, conflict: { actual: revision } };
    });
  }

  appendTogether(chains: readonly AppendChain[]): Promise<readonly ChainResult[]> {
    return appendChains(chains, (...args) => this.append(...args));
  }

  readStream(stream: string, options: StreamRange = {}): Promise<StreamSlice> {
    return this.#removed.run(stream, async (place) => {
      const from = Math.max(0, (options.from ?? 0) - place.offset);
      return sliceFrom(place, await this.#reader.readStream(place.name, { ...options, from }));
    });
  }

  readAll(options: Parameters<EventStore['readAll']>[0]): Promise<AllSlice> {
    return this.#reader.readAll(options);
  }

  head(): Promise<Position | null> {
    return this.#reader.head();
  }

  subscribe(options: Parameters<EventStore['subscribe']>[0]): AsyncGenerator<AllSlice> {
    return this.#reader.subscribe(options);
  }

  removals(options: { readonly after: Position | null; readonly signal: AbortSignal }): AsyncGenerator<Removals> {
    return this.#removals.read(options.after, options.signal);
  }

  erase(stream: string): Promise<void> {
    return this.#removed.run(stream, async ({ name }) => {
      if (await this.#reader.lastOf(name)) await eraseStream(this.#connection, this.#keys, name);
    });
  }

  compare(a: Position, b: Position): number {
    return numberOf(a) - numberOf(b);
  }

  parsePosition(text: string): Position | null {
    return parsePosition(text) === null ? null : (text as Position);
  }

  saveSnapshot(stream: string, revision: number, name: string, state: JsonObject): Promise<void> {
    return this.#snapshots.save(stream, revision, name, state);
  }

  loadSnapshot(stream: string, name: string): Promise<{ revision: number; state: JsonObject } | null> {
    return this.#snapshots.load(stream, name);
  }

  async close(): Promise<void> {
    this.#live.end(new Error('The event store was closed'));
    this.#connection.close();
  }

  #notice(message: RecordedMessage): void {
    const stream = streamOf(message);
    const removal = removalIn(message);
    if (removal) {
      this.#keys.markErased(removal.name);
      this.#removals.notice();
    }
    if (!stream.startsWith('$$')) {
      if (Number(message.getStreamRevision()) === 0) this.#keys.markCreated(stream);
      if (erasesItsStream(message.getData_asU8())) this.#keys.markErased(stream);
      this.#live.advance(commitPosition(message));
    } else if (marksErasure(message)) this.#keys.markErased(stream.slice(2));
  }
}

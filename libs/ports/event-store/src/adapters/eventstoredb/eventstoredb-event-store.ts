import type { MessagePort } from 'node:worker_threads';
import type { JsonObject } from '#platform/kernel';
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
  TogetherOptions,
} from '../../port.ts';
import { numberOf, parsePosition, positionOf } from '../../positions.ts';
import type { StreamKeys } from '../../stream-keys.ts';
import { appendChains } from './append-chains.ts';
import { Appender } from './appender.ts';
import { Connection } from './connection.ts';
import { eraseStream, isMarkedErased, marksErasure } from './erasure.ts';
import { BEGINNING, LiveLog } from './live-log.ts';
import type { LogEntry } from './log-entry.ts';
import { followThrough, LogFeed } from './log-feed.ts';
import { LogHistory } from './log-history.ts';
import { LogReader } from './log-reader.ts';
import { NewestEvent } from './newest-event.ts';
import type { EventStoreDbOptions } from './options.ts';
import type { Outage } from './outage.ts';
import { RecordedIds } from './recorded-ids.ts';
import { RemovalLog, removalIn } from './removals.ts';
import { optionsIn, RemovedStreams, resultFrom, sliceFrom } from './removed-streams.ts';
import { newestOfAllRequest } from './requests.ts';
import { Snapshots } from './snapshots.ts';
import { identifyStore } from './store-identity.ts';
import { StreamKeyCache } from './stream-key-cache.ts';
import { follow, type LogClient } from './watcher.ts';

/**
 * The event log in EventStoreDB. The metadata of an event is its envelope; its data is its payload, sealed with a key of
 * its stream that is stored elsewhere. An erasure is first written to the metadata of the stream, which every client
 * follows, then the keys are destroyed.
 */
export class EventStoreDbEventStore implements EventStore {
  readonly storeId: string;
  readonly #connection: Connection;
  readonly #keys: StreamKeyCache;
  readonly #head = new LiveHead();
  readonly #live: LiveLog;
  readonly #newest: NewestEvent;
  readonly #reader: LogReader;
  readonly #appender: Appender;
  readonly #snapshots: Snapshots;
  readonly #removed: RemovedStreams;
  readonly #removals: RemovalLog;
  readonly #feed: LogFeed;
  readonly #history: LogHistory;

  /**
   * @throws EventStoreUnreachableError, InvalidEventStoreUrlError, EventStoreAccessDeniedError, ForeignStreamKeysError,
   *   EventStoreTooOldError, LogFormatError, StoreIdentityRemovedError
   */
  static async open(options: EventStoreDbOptions): Promise<EventStoreDbEventStore> {
    const { url, keys, patience, liveBytes, feed = null, signal } = options;
    const connection = new Connection(url, patience);
    const giveUp = () => connection.close();
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      // Checks the right to read the whole log before anything is written.
      await connection.retry(() => connection.read(newestOfAllRequest(null, 1)));
      const storeId = await identifyStore(connection, keys);
      return new EventStoreDbEventStore(connection, storeId, keys, new LiveLog(liveBytes), feed);
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  private constructor(
    connection: Connection,
    storeId: string,
    streamKeys: StreamKeys,
    live: LiveLog,
    feed: MessagePort | null,
  ) {
    this.#live = live;
    this.storeId = storeId;
    this.#connection = connection;
    const keys = new StreamKeyCache(streamKeys, (stream) => isMarkedErased(connection, stream));
    this.#keys = keys;
    const secretOf = ({ stream, keyId }: LogEntry) => (keyId === null ? null : keys.known(stream, keyId));
    this.#feed = new LogFeed(secretOf, connection.outage);
    const newest = new NewestEvent(connection);
    this.#newest = newest;
    const state = { connection, keys, ids: new RecordedIds(), head: this.#head, live, newest };
    this.#reader = new LogReader(state);
    this.#history = new LogHistory(this.#reader, (reason) => this.#end(reason));
    this.#appender = new Appender(state);
    this.#snapshots = new Snapshots(connection, keys, this.#reader);
    this.#removed = new RemovedStreams(connection, keys);
    this.#removals = new RemovalLog(connection, this.#removed);
    const follower: LogClient = {
      isSameLog: () => this.#history.isSame(),
      onFollowing: (head) => {
        keys.startPeriod();
        this.#removals.notice();
        newest.follow(head ?? BEGINNING);
        this.#live.start(head ?? BEGINNING);
        if (head !== null) this.#head.advance(head);
        this.#feed.onFollowing(head);
      },
      onEntry: (entry, secret) => this.#notice(entry, secret),
      onLost: () => {
        keys.endPeriod();
        newest.follow(null);
        this.#live.stop();
        this.#feed.onLost();
      },
    };
    if (feed) followThrough(feed, connection, follower);
    else void follow(connection, follower);
  }

  get replaced(): Promise<Error> {
    return this.#history.replaced;
  }

  /** Returns a port for the option `feed` of a client in another thread. */
  newFeedPort(): MessagePort {
    return this.#feed.newPort();
  }

  append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<AppendResult> {
    return this.#removed.run(stream, async (place) => {
      const optionsThere = optionsIn(place, options);
      if (optionsThere) return resultFrom(place, await this.#appender.append(place.name, events, optionsThere));
      const { revision } = sliceFrom(place, await this.#reader.readStream(place.name, {}));
      return { ok: false, conflict: { actual: revision } };
    });
  }

  appendTogether(chains: readonly AppendChain[], options?: TogetherOptions): Promise<readonly ChainResult[]> {
    return appendChains(chains, (...args) => this.append(...args), options);
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

  async head(): Promise<Position | null> {
    const newest = await this.#reader.newestEvent();
    return newest && positionOf(newest);
  }

  async knownHead(): Promise<Position | null> {
    const known = await this.#reader.knownEvent();
    return known && positionOf(known);
  }

  outage(): Outage['report'] {
    return this.#connection.outage.report;
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

  holds(position: Position): Promise<boolean> {
    return this.#reader.holds(position);
  }

  saveSnapshot(stream: string, revision: number, name: string, state: JsonObject): Promise<void> {
    return this.#snapshots.save(stream, revision, name, state);
  }

  loadSnapshot(stream: string, name: string): Promise<{ revision: number; state: JsonObject } | null> {
    return this.#snapshots.load(stream, name);
  }

  async close(): Promise<void> {
    this.#end(new Error('The event store was closed'));
    this.#feed.close();
    this.#connection.close();
  }

  #end(reason: Error): void {
    this.#head.end(reason);
    this.#live.end(reason);
  }

  /** Erasures first, so that no reader finds a key of an erased stream. */
  #notice(entry: LogEntry, secret?: Uint8Array): void {
    const { stream, position, type } = entry;
    const removal = type.startsWith('$') ? removalIn(entry) : null;
    if (removal) {
      this.#keys.markErased(removal.name);
      this.#removals.notice();
    }
    if (!stream.startsWith('$$')) {
      if (entry.revision === 0) this.#keys.markCreated(stream);
      if (entry.erases) this.#keys.markErased(stream);
    } else if (marksErasure(entry)) this.#keys.markErased(stream.slice(2));
    if (secret && entry.keyId !== null) this.#keys.learn(stream, { id: entry.keyId, secret });
    if (entry.isOwn) this.#history.followed(entry);
    this.#newest.notice(entry);
    this.#live.push(entry);
    this.#head.advance(position);
    this.#feed.onEntry(entry);
  }
}

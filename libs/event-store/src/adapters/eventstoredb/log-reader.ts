import pLimit from 'p-limit';
import type { LiveHead } from '../../live-head.ts';
import type {
  AllSlice,
  EventFilter,
  EventStore,
  Position,
  RecordedEvent,
  StreamRange,
  StreamSlice,
} from '../../port.ts';
import { numberOf, positionOf } from '../../positions.ts';
import type { ClientState } from './client-state.ts';
import type { Connection } from './connection.ts';
import { eraseStream } from './erasure.ts';
import { MissingStreamKeyError } from './errors.ts';
import type { RecordedIds } from './recorded-ids.ts';
import { SoftDeletedError } from './removed-streams.ts';
import {
  allRequest,
  lastOfAllRequest,
  lastOfStreamRequest,
  type RecordedMessage,
  type ServerFilter,
  streamRequest,
} from './requests.ts';
import { erasesItsStream, keyIdOf } from './sealing.ts';
import type { StreamKeyCache } from './stream-key-cache.ts';
import { commitPosition, EVERY_EVENT, eventId, isOwnEvent, SealedEvent, scanOf, streamOf } from './wire.ts';

const DEFAULT_BATCH = 512;
/** Events in one request if this side filters too. */
const PAGE = 1000;
/** Limit of the events that one filtered read examines on this side. */
const MAX_EXAMINED = 20_000;
/** Concurrent fetches of keys in one read. */
const CONCURRENT_KEYS = 32;

type ReadAllOptions = Parameters<EventStore['readAll']>[0];

/** Reads streams and the whole log, and unseals payloads. */
export class LogReader {
  readonly #connection: Connection;
  readonly #keys: StreamKeyCache;
  readonly #ids: RecordedIds;
  readonly #live: LiveHead;

  constructor({ connection, keys, ids, live }: ClientState) {
    this.#connection = connection;
    this.#keys = keys;
    this.#ids = ids;
    this.#live = live;
  }

  async readStream(stream: string, { from = 0, limit }: StreamRange): Promise<StreamSlice> {
    return this.#connection.retry(async () => {
      const [messages, marked] = await Promise.all([
        this.#connection.read(streamRequest(stream, from, limit)),
        this.#keys.isErased(stream),
      ]);
      if (messages === null && marked) throw new SoftDeletedError(stream);
      if (messages === null) return { events: [], revision: 'no-stream', erased: false };
      this.#ids.add(stream, from, messages.map(eventId));
      const erasing = messages.some((message) => erasesItsStream(message.getData_asU8()));
      // A client stopped between the append that erases and the destruction of the keys.
      if (erasing && !marked) await eraseStream(this.#connection, this.#keys, stream);
      const last = messages.at(-1) ?? (await this.lastOf(stream));
      const revision = last === null ? 'no-stream' : Number(last.getStreamRevision());
      return {
        events: await this.#unsealed(messages, false),
        // An event that was appended between the two reads is not in `events`, so the revision must not include it.
        revision: messages.length === 0 && revision !== 'no-stream' ? Math.min(revision, from - 1) : revision,
        erased: erasing || marked,
      };
    });
  }

  async readAll(options: ReadAllOptions): Promise<AllSlice> {
    const after = options.after === null ? null : numberOf(options.after);
    return this.#connection.retry(async () => {
      const isFiltered = Object.values(options.filter ?? {}).some((value) => value !== undefined);
      return this.#scan(after, options, isFiltered ? await this.#head() : null);
    });
  }

  async head(): Promise<Position | null> {
    const head = await this.#connection.retry(() => this.#head());
    return head === null ? null : positionOf(head);
  }

  async *subscribe(options: Parameters<EventStore['subscribe']>[0]): AsyncGenerator<AllSlice> {
    const { signal, batch: limit = DEFAULT_BATCH } = options;
    const reading = { ...options, limit };
    const ending = this.#connection.closingOr(signal);
    let after = options.after === null ? null : numberOf(options.after);
    while (!signal.aborted) {
      const read = () => this.#scan(after, reading, this.#live.head);
      const slice = await this.#connection
        .retry(read, { patience: Number.POSITIVE_INFINITY, signal: ending })
        .catch((error) => {
          if (signal.aborted) return null;
          throw error;
        });
      if (slice === null || signal.aborted) return;
      after = slice.position === null ? null : numberOf(slice.position);
      if (slice.events.length > 0) yield slice;
      if (slice.end) await this.#live.beyond(after ?? -1, signal);
    }
  }

  /** Returns the newest event of a stream, or null if there is no such stream. */
  async lastOf(stream: string): Promise<RecordedMessage | null> {
    const messages = await this.#connection.retry(() => this.#connection.read(lastOfStreamRequest(stream)));
    return messages?.[0] ?? null;
  }

  async #head(): Promise<number | null> {
    const newest = (await this.#connection.read(lastOfAllRequest(EVERY_EVENT)))?.[0];
    return newest ? commitPosition(newest) : null;
  }

  /**
   * Reads up to `limit` events behind a position.
   * @param head a position that the log had reached before: a filtered read that ends before it continues behind it
   */
  async #scan(after: number | null, options: Omit<ReadAllOptions, 'after'>, head: number | null): Promise<AllSlice> {
    const { limit, filter = {}, envelopesOnly = false } = options;
    const { onServer, keeps } = scanOf(filter);
    const matches: RecordedMessage[] = [];
    let at = after;
    const sliceTo = async (position: number | null, end: boolean): Promise<AllSlice> => ({
      events: await this.#unsealed(matches, envelopesOnly),
      position: position === null ? null : positionOf(position),
      end,
    });
    if (matchesNothing(filter)) return sliceTo(later(after, head), true);

    for (let examined = 0; examined < MAX_EXAMINED; ) {
      const page = await this.#page(at, keeps ? PAGE : limit + 1, onServer);
      for (const event of page.events) {
        if (!isOwnEvent(event) || (keeps && !keeps(new SealedEvent(streamOf(event), event, null)))) continue;
        // One match more than the limit shows that this is not the end.
        if (matches.length === limit) return sliceTo(commitPosition(matches.at(-1) as RecordedMessage), false);
        matches.push(event);
      }
      const last = page.events.at(-1);
      if (last) at = commitPosition(last);
      if (page.end) return sliceTo(later(at, head), true);
      examined += page.events.length;
    }
    return sliceTo(at, false);
  }

  /** Reads events strictly behind a position. */
  async #page(after: number | null, count: number, filter: ServerFilter) {
    // The server's answer includes the event at the given position, if the filter matches it.
    const requested = after === null ? count : count + 1;
    const messages = (await this.#connection.read(allRequest(after, requested, filter))) ?? [];
    const events = messages.filter((message) => after === null || commitPosition(message) > after);
    return { events: events.slice(0, count), end: messages.length < requested };
  }

  async #unsealed(messages: readonly RecordedMessage[], envelopesOnly: boolean): Promise<RecordedEvent[]> {
    const streams = messages.map(streamOf);
    if (envelopesOnly) return messages.map((message, i) => new SealedEvent(streams[i] as string, message, null));
    for (const [i, message] of messages.entries()) {
      if (erasesItsStream(message.getData_asU8())) this.#keys.markErased(streams[i] as string);
    }
    const keyNames = messages.map((message, i) => {
      const id = keyIdOf(message.getData_asU8());
      return id && `${id} ${streams[i]}`;
    });
    const secrets = await this.#secrets(keyNames);
    return messages.map((message, i) => {
      const secret = secrets.get(keyNames[i] ?? '') ?? null;
      return new SealedEvent(streams[i] as string, message, secret);
    });
  }

  /** @param names `<key id> <stream>` */
  async #secrets(names: readonly (string | null)[]) {
    const secrets = new Map<string, Uint8Array | MissingStreamKeyError | null>();
    const distinct = [...new Set(names)].filter((name) => name !== null);
    await pLimit(CONCURRENT_KEYS).map(distinct, async (name) => {
      const [id, ...stream] = name.split(' ');
      secrets.set(name, await this.#keys.toOpen(stream.join(' '), id as string).catch(missingKey));
    });
    return secrets;
  }
}

/** Returns the error if a key is missing: it concerns only readers of the payloads that are sealed with it. */
function missingKey(error: unknown): MissingStreamKeyError {
  if (error instanceof MissingStreamKeyError) return error;
  throw error;
}

function matchesNothing({ categories, types }: EventFilter): boolean {
  return categories?.length === 0 || types?.length === 0;
}

/** Returns the later position; null: neither is a position. */
function later(a: number | null, b: number | null): number | null {
  return a === null || (b !== null && b > a) ? b : a;
}

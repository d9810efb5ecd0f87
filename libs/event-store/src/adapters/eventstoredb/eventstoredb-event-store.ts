import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { JsonObject } from '#kernel';
import { checkIds, payloadText } from '../../append-checks.ts';
import { isRepeat } from '../../expected-revision.ts';
import { LiveHead } from '../../live-head.ts';
import type {
  AllSlice,
  AppendOptions,
  AppendResult,
  EventFilter,
  EventStore,
  ExpectedRevision,
  NewEvent,
  Position,
  RecordedEvent,
  StreamRange,
  StreamSlice,
} from '../../port.ts';
import type { StreamKeys } from '../../stream-keys.ts';
import { Connection } from './connection.ts';
import { EventStoreTooOldError, ForeignStreamKeysError, MissingStreamKeyError } from './errors.ts';
import { History, type Known, NOTHING } from './history.ts';
import { KeyRing, type KeyToSeal, type Watch } from './key-ring.ts';
import type { EventStoreDbOptions } from './options.ts';
import {
  allRequest,
  lastOfAllRequest,
  lastOfStreamRequest,
  type Proposed,
  type RecordedMessage,
  type ServerFilter,
  streamRequest,
} from './requests.ts';
import { ERASES_ITS_STREAM, erasesItsStream, keyIdOf, NO_PAYLOAD, newSealingKey, seal, unseal } from './sealing.ts';
import { follow } from './watcher.ts';
import {
  EVERY_EVENT,
  envelopeBytes,
  isOurs,
  numberOf,
  placeOf,
  positionOf,
  SNAPSHOTS,
  StoredEvent,
  scanOf,
  streamOf,
  uuidOf,
} from './wire.ts';

const DEFAULT_BATCH = 512;
/** Events in one read where more has to be looked at than is answered. */
const PAGE = 1000;
/** How many places of the log one filtered read looks at on this side of the connection. */
const SCAN = 20_000;
/** Keys that one read fetches at once. */
const KEYS_AT_ONCE = 32;
/** Fits the server's usual limit of 1 MiB for one append. */
const MAX_SNAPSHOT_BYTES = 900 * 1024;
/** What was appended comes back to who follows the log within milliseconds; a server that takes longer is asked. */
const FOLLOWED_WITHIN_MS = 250;
/** Its metadata names the log. */
const STORE_STREAM = 'mneme-store';
const STORE_ID = 'mneme-store';
/** In the metadata of a stream: its keys are destroyed, or about to be. */
const ERASED = 'mneme-erased';

type Metadata = Record<string, unknown>;

interface ReadAllOptions {
  readonly after: Position | null;
  readonly limit: number;
  readonly filter?: EventFilter;
  readonly envelopesOnly?: boolean;
}

/**
 * The event log in EventStoreDB. An event's metadata is its envelope; its data is its payload, sealed with a key of its
 * stream that stands elsewhere. That a stream is erased is written into the stream's metadata first, which every client
 * hears of, then its keys are destroyed.
 */
export class EventStoreDbEventStore implements EventStore {
  readonly storeId: string;
  readonly #connection: Connection;
  readonly #ring: KeyRing;
  readonly #live = new LiveHead<number>();
  readonly #history = new History();

  /** @throws EventStoreUnreachableError, InvalidEventStoreUrlError, ForeignStreamKeysError, EventStoreTooOldError */
  static async open({ url, keys, patience, signal }: EventStoreDbOptions): Promise<EventStoreDbEventStore> {
    const connection = new Connection(url, patience);
    const giveUp = () => connection.close();
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return new EventStoreDbEventStore(connection, await identify(connection, keys), keys);
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  private constructor(connection: Connection, storeId: string, keys: StreamKeys) {
    this.storeId = storeId;
    this.#connection = connection;
    this.#ring = new KeyRing(keys, async (stream) => (await readMetadata(connection, stream)).value[ERASED] === true);
    void follow(connection, {
      onFollowing: (head) => {
        this.#ring.follow();
        if (head !== null) this.#live.moved(head);
      },
      onEvent: (event) => this.#noticed(event),
      onLost: () => this.#ring.unfollow(),
    });
  }

  async append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<AppendResult> {
    checkIds(stream, events);
    const { expected, erase = false, newIds = false } = options;
    const texts = events.map(({ payload }) => payloadText(stream, payload));
    const ids = events.map(({ envelope }) => uuidOf(envelope.id));
    for (let lost = 0; ; lost++) {
      const known = newIds && typeof expected === 'number' ? NOTHING : await this.#known(stream, expected);
      if (ids.some((id) => known.ids.has(id))) return this.#repeated(stream, ids, options);
      if (expected === 'stream-exists' && known.revision < 0) return conflictWith(known);
      const at = typeof expected === 'number' ? expected : revisionIn(known);

      const sealed = !erase && texts.some((text) => text !== null);
      const key = sealed ? await this.#connection.persist(() => this.#ring.toSeal(stream, at === 'no-stream')) : null;
      const proposed = events.map((event, i) => proposedOf(stream, event, texts[i] as string | null, key));
      if (erase) proposed.push({ ...(proposed.pop() as Proposed), data: ERASES_ITS_STREAM });
      const mayBeErased = at !== 'no-stream' && !erase;
      const standing = mayBeErased ? this.#ring.standing(stream) : null;
      const [appended, asked] = await Promise.all([
        this.#connection.persist(() => this.#connection.append(stream, proposed, at)),
        // Asked at the same time: an erasure that ended before this append began is seen.
        mayBeErased && !standing && this.#connection.persist(() => this.#ring.isErased(stream)),
      ]);
      if (appended.ok) {
        const erased = standing ? await this.#erasedBefore(appended.place, stream, standing) : asked;
        this.#history.add(stream, appended.revision - ids.length + 1, ids);
        if (erase) await this.#erase(stream);
        // The key may be newer than the erasure, which then did not destroy it.
        else if (erased && key) await this.#connection.persist(() => this.#ring.destroy(stream));
        else key?.keep();
        return { ok: true, revision: appended.revision, position: positionOf(appended.place), erased: erase || erased };
      }
      // Another writer was faster, or an attempt whose answer was lost.
      const now = await this.#known(stream, 'any');
      if (ids.some((id) => now.ids.has(id))) return this.#repeated(stream, ids, options);
      if (expected !== 'any' && expected !== 'stream-exists') return conflictWith(now);
      await pause(randomInt(2 ** Math.min(lost, 6)));
    }
  }

  async readStream(stream: string, { from = 0, limit }: StreamRange = {}): Promise<StreamSlice> {
    return this.#connection.persist(async () => {
      const [found, marked] = await Promise.all([
        this.#connection.read(streamRequest(stream, from, limit)),
        this.#ring.isErased(stream),
      ]);
      if (found === null) return { events: [], revision: 'no-stream', erased: false };
      this.#history.add(stream, from, found.map(idOf));
      const erasing = found.some((event) => erasesItsStream(event.getData_asU8()));
      // Cut off between the event that erases and the rest.
      if (erasing && !marked) await this.#erase(stream);
      const last = found.at(-1) ?? (await this.#lastOf(stream));
      const revision = last === null ? 'no-stream' : Number(last.getStreamRevision());
      return {
        events: await this.#opened(found, false),
        // What was appended between the two reads is not among the events: nobody may take it for known.
        revision: found.length === 0 && revision !== 'no-stream' ? Math.min(revision, from - 1) : revision,
        erased: erasing || marked,
      };
    });
  }

  async readAll(options: ReadAllOptions): Promise<AllSlice> {
    const after = options.after === null ? null : this.#place(options.after);
    return this.#connection.persist(async () => {
      const { filter = {} } = options;
      const isFiltered = Object.values(filter).some((value) => value !== undefined);
      return this.#scan(after, options, isFiltered ? await this.#head() : null);
    });
  }

  async head(): Promise<Position | null> {
    const head = await this.#connection.persist(() => this.#head());
    return head === null ? null : positionOf(head);
  }

  async *subscribe(options: {
    readonly after: Position | null;
    readonly filter?: EventFilter;
    readonly envelopesOnly?: boolean;
    readonly signal: AbortSignal;
    readonly batch?: number;
  }): AsyncGenerator<AllSlice> {
    const { signal, batch: limit = DEFAULT_BATCH } = options;
    const reading = { ...options, limit };
    const ending = this.#connection.closingOr(signal);
    let after = options.after === null ? null : this.#place(options.after);
    while (!signal.aborted) {
      const read = () => this.#scan(after, reading, this.#live.place);
      const slice = await this.#connection
        .persist(read, { patience: Number.POSITIVE_INFINITY, signal: ending })
        .catch((error) => {
          if (signal.aborted) return null;
          throw error;
        });
      if (slice === null || signal.aborted) return;
      after = slice.position === null ? null : this.#place(slice.position);
      if (slice.events.length > 0) yield slice;
      if (slice.end) await this.#live.beyond(after ?? -1, signal);
    }
  }

  async erase(stream: string): Promise<void> {
    if (await this.#lastOf(stream)) await this.#erase(stream);
  }

  compare(a: Position, b: Position): number {
    return this.#place(a) - this.#place(b);
  }

  parsePosition(text: string): Position | null {
    return numberOf(text) === null ? null : (text as Position);
  }

  async saveSnapshot(stream: string, revision: number, name: string, state: JsonObject): Promise<void> {
    const text = JSON.stringify(state);
    if (Buffer.byteLength(text) > MAX_SNAPSHOT_BYTES) return;
    if ((await this.#lastOf(stream)) === null) return;
    const key = await this.#connection.persist(() => this.#ring.toSeal(stream, false));
    if (key === null) return;
    const snapshots = snapshotStream(stream, name);
    const id = randomUUID();
    const snapshot: Proposed = {
      id,
      type: 'Snapshot',
      data: seal(text, key, snapshots, id),
      metadata: Buffer.from(JSON.stringify({ revision })),
    };
    for (let saved = false; !saved; ) {
      const held = await this.#lastOf(snapshots);
      if (held && snapshotRevision(held) >= revision) return;
      if (!held) await changeMetadata(this.#connection, snapshots, { $maxCount: 1 }, '$maxCount');
      const at = held ? Number(held.getStreamRevision()) : 'no-stream';
      saved = (await this.#connection.persist(() => this.#connection.append(snapshots, [snapshot], at))).ok;
    }
    key.keep();
  }

  async loadSnapshot(stream: string, name: string): Promise<{ revision: number; state: JsonObject } | null> {
    const snapshots = snapshotStream(stream, name);
    const held = await this.#lastOf(snapshots);
    const keyId = held && keyIdOf(held.getData_asU8());
    if (!held || !keyId) return null;
    const secret = await this.#connection.persist(() => this.#ring.toOpen(stream, keyId));
    if (!secret) return null;
    const state = JSON.parse(unseal(held.getData_asU8(), secret, snapshots, idOf(held))) as JsonObject;
    return { revision: snapshotRevision(held), state };
  }

  async close(): Promise<void> {
    this.#live.end(new Error('The event store was closed'));
    this.#connection.close();
  }

  /** Ids of the events that an append has to be compared with, as far as they are there. */
  async #known(stream: string, expected: ExpectedRevision): Promise<Known> {
    if (expected === 'no-stream') return NOTHING;
    const known = this.#history.of(stream);
    const from = known.revision + 1;
    if (typeof expected === 'number' && expected < from) return known;
    const count = typeof expected === 'number' ? expected - from + 1 : undefined;
    const more =
      (await this.#connection.persist(() => this.#connection.read(streamRequest(stream, from, count)))) ?? [];
    this.#history.add(stream, from, more.map(idOf));
    return { revision: known.revision + more.length, ids: new Set([...known.ids, ...more.map(idOf)]) };
  }

  /** The answer to a call of which some events stand in the stream already. */
  async #repeated(
    stream: string,
    ids: readonly string[],
    { expected, erase = false }: AppendOptions,
  ): Promise<AppendResult> {
    const found = (await this.#connection.persist(() => this.#connection.read(streamRequest(stream, 0)))) ?? [];
    const byId = new Map(found.map((event, revision) => [idOf(event), { revision, place: placeOf(event) }]));
    const standing = ids.map((id) => byId.get(id)).filter((event) => event !== undefined);
    const last = standing.at(-1);
    const actual = found.length - 1;
    if (!last || !isRepeat(standing, ids.length, expected, actual)) return { ok: false, conflict: { actual } };
    if (erase) await this.#erase(stream);
    const erased = erase || (await this.#connection.persist(() => this.#ring.isErased(stream)));
    return { ok: true, revision: last.revision, position: positionOf(last.place), erased };
  }

  /**
   * Up to `limit` events behind a place.
   * @param head a place that the log had reached before: events up to it that do not come are none that the filter wants
   */
  async #scan(after: number | null, options: Omit<ReadAllOptions, 'after'>, head: number | null): Promise<AllSlice> {
    const { limit, filter = {}, envelopesOnly = false } = options;
    const { onServer, keeps } = scanOf(filter);
    const wanted: RecordedMessage[] = [];
    let at = after;
    const sliceTo = async (place: number | null, end: boolean): Promise<AllSlice> => ({
      events: await this.#opened(wanted, envelopesOnly),
      position: place === null ? null : positionOf(place),
      end,
    });
    if (filter.categories?.length === 0 || filter.types?.length === 0) return sliceTo(later(after, head), true);

    for (let looked = 0; looked < SCAN; ) {
      const page = await this.#page(at, keeps ? PAGE : limit + 1, onServer);
      for (const event of page.events) {
        if (!isOurs(event) || (keeps && !keeps(new StoredEvent(streamOf(event), event, null)))) continue;
        // One more than is wanted tells that this is not the end.
        if (wanted.length === limit) return sliceTo(placeOf(wanted.at(-1) as RecordedMessage), false);
        wanted.push(event);
      }
      const last = page.events.at(-1);
      if (last) at = placeOf(last);
      if (page.end) return sliceTo(later(at, head), true);
      looked += page.events.length;
    }
    return sliceTo(at, false);
  }

  /** What the server sends that stands strictly behind a place. */
  async #page(after: number | null, count: number, filter: ServerFilter) {
    // A read begins with the event at the place that it names, if the filter lets it through.
    const asked = after === null ? count : count + 1;
    const found = (await this.#connection.read(allRequest(after, asked, filter))) ?? [];
    const events = found.filter((event) => after === null || placeOf(event) > after);
    return { events: events.slice(0, count), end: found.length < asked };
  }

  async #opened(messages: readonly RecordedMessage[], envelopesOnly: boolean): Promise<RecordedEvent[]> {
    const streams = messages.map(streamOf);
    if (envelopesOnly) return messages.map((message, i) => new StoredEvent(streams[i] as string, message, null));
    for (const [i, message] of messages.entries()) {
      if (erasesItsStream(message.getData_asU8())) this.#ring.forget(streams[i] as string);
    }
    const secrets = new Map<string, Uint8Array | MissingStreamKeyError | null>();
    const keyNames = messages.map((message, i) => {
      const id = keyIdOf(message.getData_asU8());
      return id && `${id} ${streams[i]}`;
    });
    const missing = [...new Set(keyNames)].filter((name) => name !== null);
    await pLimit(KEYS_AT_ONCE).map(missing, async (name) => {
      const [id, ...stream] = name.split(' ');
      secrets.set(name, await this.#ring.toOpen(stream.join(' '), id as string).catch(lostKey));
    });
    return messages.map((message, i) => {
      const secret = secrets.get(keyNames[i] ?? '') ?? null;
      return new StoredEvent(streams[i] as string, message, secret);
    });
  }

  async #head(): Promise<number | null> {
    const newest = (await this.#connection.read(lastOfAllRequest(EVERY_EVENT)))?.[0];
    return newest ? placeOf(newest) : null;
  }

  async #lastOf(stream: string): Promise<RecordedMessage | null> {
    const found = await this.#connection.persist(() => this.#connection.read(lastOfStreamRequest(stream)));
    return found?.[0] ?? null;
  }

  /**
   * Whether a stream that stood was erased before what was appended to it. An erasure stands in the log before it, so
   * whoever has followed the log up to there knows, and nobody has to be asked.
   */
  async #erasedBefore(place: number, stream: string, standing: Watch): Promise<boolean> {
    const isFollowed = await this.#live.beyondWithin(place - 1, FOLLOWED_WITHIN_MS);
    if (isFollowed && this.#ring.standing(stream) === standing) return false;
    return this.#connection.persist(() => this.#ring.isErased(stream));
  }

  async #erase(stream: string): Promise<void> {
    await changeMetadata(this.#connection, stream, { [ERASED]: true }, ERASED);
    await this.#connection.persist(() => this.#ring.destroy(stream));
  }

  #noticed(message: RecordedMessage): void {
    const stream = streamOf(message);
    if (!stream.startsWith('$$')) {
      if (Number(message.getStreamRevision()) === 0) this.#ring.begun(stream);
      if (erasesItsStream(message.getData_asU8())) this.#ring.forget(stream);
      this.#live.moved(placeOf(message));
    } else if (metadataIn(message)[ERASED] === true) this.#ring.forget(stream.slice(2));
  }

  #place(position: Position): number {
    const place = numberOf(position);
    if (place === null) throw new RangeError(`'${position}' is no position of this event store`);
    return place;
  }
}

/** The log's name, given to it by the first client that opens it, which leaves a key under that name. */
async function identify(connection: Connection, keys: StreamKeys): Promise<string> {
  for (;;) {
    const { value, event } = await connection.persist(() => readMetadata(connection, STORE_STREAM));
    const id = value[STORE_ID];
    if (typeof id === 'string' && event) {
      if (!Number.isSafeInteger(placeOf(event))) {
        throw new EventStoreTooOldError(
          'This server is too old: the reads of a stream do not tell the positions of events',
        );
      }
      if (await keys.get(STORE_STREAM, id)) return id;
      throw new ForeignStreamKeysError(
        `The stream keys are not those of this event store (${id}): what it holds could not be read`,
      );
    }
    const key = newSealingKey();
    await keys.put(STORE_STREAM, key.id, key.secret);
    await changeMetadata(connection, STORE_STREAM, { [STORE_ID]: key.id }, STORE_ID);
  }
}

async function readMetadata(connection: Connection, stream: string) {
  const event = (await connection.read(lastOfStreamRequest(`$$${stream}`)))?.[0];
  return { value: event ? metadataIn(event) : {}, event };
}

/** @param unless nothing is changed where this stands already */
async function changeMetadata(connection: Connection, stream: string, change: Metadata, unless: string): Promise<void> {
  for (let stored = false; !stored; ) {
    const { value, event } = await connection.persist(() => readMetadata(connection, stream));
    if (value[unless] !== undefined) return;
    const metadata: Proposed = {
      id: randomUUID(),
      type: '$metadata',
      data: Buffer.from(JSON.stringify({ ...value, ...change })),
      metadata: NO_PAYLOAD,
      json: true,
    };
    const at = event ? Number(event.getStreamRevision()) : 'no-stream';
    stored = (await connection.persist(() => connection.append(`$$${stream}`, [metadata], at))).ok;
  }
}

function metadataIn(message: RecordedMessage): Metadata {
  try {
    return JSON.parse(Buffer.from(message.getData_asU8()).toString()) as Metadata;
  } catch {
    return {};
  }
}

function proposedOf(stream: string, { envelope }: NewEvent, text: string | null, key: KeyToSeal | null): Proposed {
  const id = uuidOf(envelope.id);
  const data = text !== null && key ? seal(text, key, stream, id) : NO_PAYLOAD;
  return { id, type: envelope.type, data, metadata: envelopeBytes(envelope) };
}

/** A lost key keeps nobody from what is not sealed with it: it is told to those who ask for the payload. */
function lostKey(error: unknown): MissingStreamKeyError {
  if (error instanceof MissingStreamKeyError) return error;
  throw error;
}

function snapshotStream(stream: string, name: string): string {
  return `${SNAPSHOTS}${name}-${stream}`;
}

function snapshotRevision(snapshot: RecordedMessage): number {
  return (JSON.parse(Buffer.from(snapshot.getCustomMetadata_asU8()).toString()) as { revision: number }).revision;
}

function idOf(message: RecordedMessage): string {
  return message.getId()?.getString() ?? '';
}

function revisionIn({ revision }: Known): number | 'no-stream' {
  return revision < 0 ? 'no-stream' : revision;
}

function conflictWith(known: Known): AppendResult {
  return { ok: false, conflict: { actual: revisionIn(known) } };
}

/** @returns whichever is the later place; null: neither is a place */
function later(a: number | null, b: number | null): number | null {
  return a === null || (b !== null && b > a) ? b : a;
}

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { ResourceError } from '#kernel';
import { EventStoreDbProcess, MemoryBlobs, TestDatabase } from '../../../../../test/support/eventstoredb/database.ts';
import { openEventStoreDb } from '../../eventstoredb.ts';
import {
  type EventFilter,
  type EventStore,
  EventStoreUnreachableError,
  type ExpectedRevision,
  type Position,
} from '../../port.ts';
import { blobStreamKeys } from '../../stream-keys.ts';
import { event, numbered, readWholeLog } from '../../testing.ts';
import { ForeignStreamKeysError, InvalidEventStoreUrlError, MissingStreamKeyError } from './errors.ts';
import { newSealingKey, seal, unseal } from './sealing.ts';

const SECRET = 'words that only the caller may know';

let database: TestDatabase;
let store: EventStore;
let streams = 0;
let stream: string;

beforeAll(async () => {
  database = await TestDatabase.start();
  store = await database.client();
});
beforeEach(() => {
  stream = `document-${++streams}`;
});
afterEach(async () => {
  database.blobs.fault = null;
  database.server.cutNextAppends();
  await database.server.start();
});
afterAll(() => database.stop());

const payloads = (events: readonly { payload: unknown }[]) => events.map((each) => each.payload);
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => ({ n: from + i }));
const keysOf = (name: string) => database.keysOf(name);

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(5);
}

/** A subscriber that collects payloads until it is told to stop. */
function collect(client: EventStore, after: Position | null, filter: EventFilter = {}) {
  const stop = new AbortController();
  const seen: unknown[] = [];
  const ended = (async () => {
    for await (const slice of client.subscribe({ after, filter, signal: stop.signal })) {
      seen.push(...payloads(slice.events));
    }
  })();
  return { seen, ended, stop: () => stop.abort() };
}

describe('a connection that is cut in the middle of an append', () => {
  const cases: ['before' | 'after', ExpectedRevision, boolean][] = (['before', 'after'] as const).flatMap((moment) => [
    [moment, 1, false],
    [moment, 'any', false],
    [moment, 'stream-exists', false],
    [moment, 1, true],
  ]);
  it.each(cases)(
    '%s it is stored: nothing is lost or doubled, expecting %p, erasing %p',
    async (moment, expected, erase) => {
      await store.append(stream, numbered(2), { expected: 'no-stream' });
      database.server.cutNextAppends(moment);
      const result = await store.append(stream, numbered(3, 2), { expected, erase });
      expect(result).toMatchObject({ ok: true, revision: 4, erased: erase });
      const { events, erased } = await store.readStream(stream);
      expect(payloads(events)).toEqual(erase ? Array(5).fill(null) : numbers(0, 5));
      expect(erased).toBe(erase);
    },
  );

  it.each(['before', 'after'] as const)('%s it is stored, when it creates the stream', async (moment) => {
    database.server.cutNextAppends(moment);
    const given = numbered(2);
    const result = await store.append(stream, given, { expected: 'no-stream' });
    expect(result).toMatchObject({ ok: true, revision: 1 });
    expect(await store.append(stream, given, { expected: 'no-stream' })).toEqual(result);
    expect(payloads((await store.readStream(stream)).events)).toEqual(numbers(0, 2));
  });

  it('again and again, under load: everything that was acknowledged stands there once', async () => {
    const results = [];
    for (let round = 0; round < 10; round++) {
      database.server.cutNextAppends('after', 'before');
      const appends = Array.from({ length: 10 }, (_, i) =>
        store.append(`${stream}x${i}`, numbered(1, round), { expected: round === 0 ? 'no-stream' : round - 1 }),
      );
      results.push(...(await Promise.all(appends)));
    }
    expect(results.every((result) => result.ok)).toBe(true);
    for (let i = 0; i < 10; i++) {
      expect(payloads((await store.readStream(`${stream}x${i}`)).events)).toEqual(numbers(0, 10));
    }
  });
});

describe('a server that is gone', () => {
  it('for a while: subscriptions go on without a gap or a repeat, appends and reads wait for it', async () => {
    const visitor = await database.client();
    const after = await store.head();
    const all = collect(store, after);
    const some = collect(store, after, { types: ['Numbered'], categories: ['document'] });
    await store.append(stream, numbered(5), { expected: 'no-stream' });
    await until(() => all.seen.length === 5 && some.seen.length === 5);

    for (let outage = 1; outage < 4; outage++) {
      await database.server.stop();
      const waiting = Promise.all([
        store.append(stream, numbered(5, outage * 5), { expected: outage * 5 - 1 }),
        visitor.readStream(`${stream}never`),
      ]);
      await pause(300);
      await database.server.start();
      expect(await waiting).toMatchObject([{ ok: true }, { revision: 'no-stream' }]);
    }
    await until(() => all.seen.length >= 20 && some.seen.length >= 20);
    for (const subscriber of [all, some]) {
      subscriber.stop();
      await subscriber.ended;
      expect(subscriber.seen).toEqual(numbers(0, 20));
    }
  });

  it('is waited for so long, then told, without the password', async () => {
    const url = database.server.url.replace('//', '//admin:changeit@');
    const visitor = await database.client({ url, patience: 200 });
    await database.server.stop();
    const failures = await Promise.all([
      visitor.append(stream, numbered(1), { expected: 'any' }).catch((error: Error) => error),
      visitor.readStream(stream).catch((error: Error) => error),
      visitor.readAll({ after: null, limit: 1 }).catch((error: Error) => error),
      openEventStoreDb({ url, keys: blobStreamKeys(database.blobs), patience: 200 }).catch((error: Error) => error),
    ]);
    for (const failure of failures) {
      expect(failure).toMatchObject({ kind: 'transient', code: 'event_store_unreachable' });
      expect((failure as Error).message).toContain(`esdb://127.0.0.1:${database.server.port}`);
      expect((failure as Error).message).not.toContain('changeit');
    }
  });

  it('holds up neither the end of a subscription nor that of the store', async () => {
    const visitor = await database.client();
    const after = await store.head();
    const [aborted, closed] = [collect(visitor, after), collect(visitor, after)];
    await database.server.stop();
    const reading = visitor.readStream(stream);
    aborted.stop();
    await aborted.ended;
    await visitor.close();
    await expect(closed.ended).rejects.toThrow('closed');
    await expect(reading).rejects.toThrow('closed');
    await expect(visitor.head()).rejects.toThrow('closed');
  });
});

describe('a server that froze', () => {
  it('holds up neither the end of a subscription nor that of the store', async () => {
    const frozen = await EventStoreDbProcess.start();
    const visitor = await openEventStoreDb({ url: frozen.url, keys: blobStreamKeys(new MemoryBlobs()) });
    await visitor.append(stream, numbered(1), { expected: 'no-stream' });
    frozen.freeze();
    const subscriber = collect(visitor, null);
    const reading = visitor.readStream(stream);
    await pause(50);
    subscriber.stop();
    await subscriber.ended;
    await visitor.close();
    await expect(reading).rejects.toThrow('closed');
    await frozen.stop();
  });
});

describe('a server that takes connections and says nothing', () => {
  it('is waited for so long, then told', async () => {
    const taken: Socket[] = [];
    const silent = createServer((socket) => void taken.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `esdb://127.0.0.1:${(silent.address() as AddressInfo).port}?tls=false`;
    const opening = openEventStoreDb({ url, keys: blobStreamKeys(new MemoryBlobs()), patience: 100 });
    await expect(opening).rejects.toThrow('cannot be reached: it takes the connection and says nothing');
    silent.close();
    for (const socket of taken) socket.destroy();
  });
});

describe('a store that is closed', () => {
  it('ends what was going on, also a read that nobody finished', async () => {
    const visitor = await database.client();
    await store.append(stream, numbered(100), { expected: 'no-stream' });
    const waiting = collect(visitor, await store.head());
    const abandoned = visitor.subscribe({ after: null, signal: new AbortController().signal, batch: 1 });
    await abandoned[Symbol.asyncIterator]().next();
    await visitor.close();
    await expect(waiting.ended).rejects.toThrow('closed');
    await visitor.close();
  });
});

describe('a slow subscriber', () => {
  it('is sent no more than it takes', async () => {
    const own = await TestDatabase.start();
    const writer = await own.client();
    await writer.append(stream, numbered(500), { expected: 'no-stream' });
    await writer.close();
    const reader = await own.client();
    const before = own.server.sent;
    const batches = reader.subscribe({ after: null, signal: new AbortController().signal, batch: 10 });
    const subscriber = batches[Symbol.asyncIterator]();
    for (let taken = 1; taken < 4; taken++) {
      await subscriber.next();
      await pause(50);
      // A batch, the event before it, one to know whether there is more; and what the client reads of its own accord.
      expect(own.server.sent - before).toBeLessThan(taken * 12 + 5);
    }
    await own.stop();
  });
});

describe('connecting', () => {
  it('refuses what is no connection string, and does not repeat its password', async () => {
    const opening = openEventStoreDb({ url: 'http://admin:changeit@host:2113', keys: blobStreamKeys(database.blobs) });
    await expect(opening).rejects.toThrow(InvalidEventStoreUrlError);
    await expect(opening).rejects.toThrow('http://host:2113');
    await expect(opening).rejects.not.toThrow('changeit');
  });

  it('refuses keys of another database', async () => {
    const other = await TestDatabase.start();
    const opening = openEventStoreDb({ url: database.server.url, keys: blobStreamKeys(other.blobs) });
    await expect(opening).rejects.toThrow(ForeignStreamKeysError);
    await other.stop();
  });

  it('gives a database one name, however many come first, and another one another', async () => {
    const other = await TestDatabase.start();
    const names = (await Promise.all([1, 2, 3, 4].map(() => other.client()))).map(({ storeId }) => storeId);
    expect(new Set(names).size).toBe(1);
    expect(names).not.toContain(store.storeId);
    await other.stop();
  });

  it('finds a cluster by its gossip', async () => {
    const visitor = await database.client({ url: database.server.url.replace('esdb:', 'esdb+discover:') });
    await visitor.append(stream, numbered(1), { expected: 'no-stream' });
    expect(payloads((await visitor.readStream(stream)).events)).toEqual(numbers(0, 1));
  });
});

describe('what is not ours', () => {
  it('is a place between two events', async () => {
    const { ok } = await store.append(stream, numbered(1), { expected: 'no-stream' });
    expect(ok).toBe(true);
    const between = store.parsePosition(String(Number(await store.head()) - 1)) as Position;
    await expect(store.readAll({ after: between, limit: 1 })).rejects.toThrow(RangeError);
  });

  it('never leaks: system streams, metadata, snapshots, events that somebody wrote by hand', async () => {
    const from = await store.head();
    const visitor = EventStoreDBClient.connectionString(database.server.url);
    await visitor.appendToStream(`document-by-hand`, jsonEvent({ type: 'Numbered', data: { n: 7 } }));
    await visitor.dispose();
    await store.append(stream, numbered(2), { expected: 'no-stream' });
    await store.saveSnapshot(stream, 1, 'model@1', { n: 1 });
    const subscriber = collect(store, from);
    for (const filter of [
      {},
      { types: ['Numbered', 'Snapshot', '$metadata', '$statsCollected'] },
      { categories: ['document', 'snapshot', '$stats', '$$document'] },
    ]) {
      expect(payloads((await store.readAll({ after: from, limit: 10, filter })).events)).toEqual(numbers(0, 2));
      expect((await readWholeLog(store, { filter })).every((each) => each.stream.startsWith('document-'))).toBe(true);
    }
    await until(() => subscriber.seen.length >= 2);
    subscriber.stop();
    await subscriber.ended;
    expect(subscriber.seen).toEqual(numbers(0, 2));
  });
});

describe('sealing', () => {
  it('leaves no payload and no snapshot readable where the events are', async () => {
    await store.append(stream, [event('Written', { text: SECRET })], { expected: 'no-stream' });
    await store.saveSnapshot(stream, 0, 'model@1', { text: SECRET });
    expect(await store.loadSnapshot(stream, 'model@1')).toEqual({ revision: 0, state: { text: SECRET } });
    expect(database.server.log.holds(SECRET)).toBe(false);
    expect(database.server.log.holds('correlation')).toBe(true);
  });

  it('binds a payload to its key, its stream and its event', () => {
    const key = newSealingKey();
    const sealed = seal('text', key, 'stream', 'id');
    expect(unseal(sealed, key.secret, 'stream', 'id')).toBe('text');
    expect(() => unseal(sealed, key.secret, 'stream', 'other')).toThrow();
    expect(() => unseal(sealed, key.secret, 'other', 'id')).toThrow();
    expect(() => unseal(sealed, newSealingKey().secret, 'stream', 'id')).toThrow();
    sealed[sealed.length - 1]! ^= 1;
    expect(() => unseal(sealed, key.secret, 'stream', 'id')).toThrow();
  });

  it('goes well when two clients give a stream its first key at once', async () => {
    const visitor = await database.client();
    await Promise.all([store, visitor].map((client, n) => client.append(stream, numbered(1, n), { expected: 'any' })));
    for (const client of [store, visitor, await database.client()]) {
      expect(new Set(payloads((await client.readStream(stream)).events))).toEqual(new Set(numbers(0, 2)));
    }
  });

  it('says aloud that a key was lost, and takes it for no erasure', async () => {
    await store.append(stream, numbered(1), { expected: 'no-stream' });
    for (const key of keysOf(stream)) database.blobs.held.delete(key);
    const visitor = await database.client();
    const [lost] = (await visitor.readStream(stream)).events;
    expect(lost?.envelope.type).toBe('Numbered');
    expect(() => lost?.payload).toThrow(MissingStreamKeyError);
    await visitor.erase(stream);
    expect(payloads((await visitor.readStream(stream)).events)).toEqual([null]);
  });

  it('waits for a key store that is away, and tells when it is full', async () => {
    database.blobs.fault = new Error('away');
    const appending = store.append(stream, numbered(1), { expected: 'no-stream' });
    await pause(100);
    database.blobs.fault = null;
    expect(await appending).toMatchObject({ ok: true });

    const impatient = await database.client({ patience: 100 });
    database.blobs.fault = new Error('away');
    await expect(impatient.readStream(stream)).rejects.toThrow(EventStoreUnreachableError);
    database.blobs.fault = new ResourceError('no_space', 'full');
    await expect(store.append(`${stream}x`, numbered(1), { expected: 'any' })).rejects.toMatchObject({
      name: 'StorageFullError',
      kind: 'transient',
      code: 'no_space',
    });
  });
});

describe('an erasure', () => {
  it('is seen by other clients at once where they read the stream, and soon where they read everything', async () => {
    const visitor = await database.client();
    const after = await store.head();
    await store.append(stream, numbered(2), { expected: 'no-stream' });
    expect(payloads((await visitor.readAll({ after, limit: 10 })).events)).toEqual(numbers(0, 2));
    await store.erase(stream);
    expect(await visitor.readStream(stream)).toMatchObject({ erased: true });
    expect(payloads((await visitor.readStream(stream)).events)).toEqual([null, null]);

    const third = await database.client();
    expect(payloads((await third.readAll({ after, limit: 10 })).events)).toEqual([null, null]);
    await until(async () =>
      (await visitor.readAll({ after, limit: 10 })).events.every(({ payload }) => payload === null),
    );
  });

  it('reaches a client that only reads everything', async () => {
    const visitor = await database.client();
    const after = await store.head();
    await store.append(stream, numbered(2), { expected: 'no-stream' });
    const read = async () => payloads((await visitor.readAll({ after, limit: 10 })).events);
    expect(await read()).toEqual(numbers(0, 2));
    await store.erase(stream);
    await until(async () => (await read()).every((payload) => payload === null));
  });

  it('reaches a client that could not hear of it', async () => {
    const visitor = await database.client();
    const after = await store.head();
    await store.append(stream, numbered(2), { expected: 'no-stream' });
    await visitor.readStream(stream);
    await database.server.stop();
    await pause(100);
    await database.server.start();
    const eraser = await database.client();
    await eraser.erase(stream);
    expect(payloads((await visitor.readAll({ after, limit: 10 })).events)).toEqual([null, null]);
  });

  it('holds for what another client seals with a key that it still has', async () => {
    const visitor = await database.client();
    await visitor.append(stream, [event('Written', { text: SECRET })], { expected: 'no-stream' });
    await store.erase(stream);
    const late = await visitor.append(stream, [event('Late', { text: SECRET })], { expected: 0 });
    expect(late).toMatchObject({ ok: true, erased: true });
    expect(payloads((await (await database.client()).readStream(stream)).events)).toEqual([null, null]);
    expect(keysOf(stream)).toEqual([]);
  });

  it('is seen by another client that appends before it has heard of it', async () => {
    const visitor = await database.client();
    await visitor.append(stream, [event('Written', { text: SECRET })], { expected: 'no-stream' });
    const release = database.server.holdSubscriptions();
    try {
      await store.erase(stream);
      const late = await visitor.append(stream, [event('Late', { text: SECRET })], { expected: 0 });
      expect(late).toMatchObject({ ok: true, erased: true });
    } finally {
      release();
    }
    expect(payloads((await visitor.readStream(stream)).events)).toEqual([null, null]);
    expect(keysOf(stream)).toEqual([]);
  });

  it('destroys every key, whatever is appended at the same time', async () => {
    const clients = [store, await database.client(), await database.client()];
    for (let round = 0; round < 10; round++) {
      const name = `${stream}r${round}`;
      await store.append(name, numbered(1), { expected: 'no-stream' });
      await Promise.all([
        ...clients.map((client) => client.append(name, [event('Written', { text: SECRET })], { expected: 'any' })),
        (round % 2 ? store : (clients[1] as EventStore)).erase(name),
        ...clients.map((client) => client.saveSnapshot(name, 0, 'model@1', { text: SECRET })),
      ]);
      const slice = await (clients[2] as EventStore).readStream(name);
      expect(slice).toMatchObject({ erased: true, revision: 3 });
      expect(payloads(slice.events)).toEqual([null, null, null, null]);
      expect(await (clients[2] as EventStore).loadSnapshot(name, 'model@1')).toBeNull();
      expect(keysOf(name)).toEqual([]);
    }
  });

  it('that was cut off behind its event is finished by whoever reads the stream', async () => {
    await store.append(stream, [event('Written', { text: SECRET })], { expected: 'no-stream' });
    await store.saveSnapshot(stream, 0, 'model@1', { text: SECRET });
    const dying = await database.client({ patience: 0 });
    database.server.cutNextAppends('after');
    await expect(dying.append(stream, [event('Deleted')], { expected: 0, erase: true })).rejects.toThrow(
      EventStoreUnreachableError,
    );
    await dying.close();
    expect(keysOf(stream)).not.toEqual([]);

    const next = await database.client();
    const { events, erased } = await next.readStream(stream);
    expect([payloads(events), erased]).toEqual([[null, null], true]);
    expect(await next.loadSnapshot(stream, 'model@1')).toBeNull();
    expect(keysOf(stream)).toEqual([]);
  });

  it('that could not destroy the keys is finished when it is asked for again', async () => {
    const impatient = await database.client({ patience: 100 });
    await impatient.append(stream, [event('Written', { text: SECRET })], { expected: 'no-stream' });
    const last = event('Deleted');
    database.blobs.fault = new Error('away');
    const deleting = () => impatient.append(stream, [last], { expected: 0, erase: true });
    await expect(deleting()).rejects.toThrow(EventStoreUnreachableError);
    expect((await impatient.readStream(stream)).erased).toBe(true);
    database.blobs.fault = null;
    expect(await deleting()).toMatchObject({ ok: true, revision: 1, erased: true });
    expect(keysOf(stream)).toEqual([]);
  });
});

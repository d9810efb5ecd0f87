import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import {
  EventStoreDbProcess,
  MemoryStreamKeys,
  TestDatabase,
} from '../../../../../../test/support/eventstoredb/database.ts';
import {
  databaseSuite,
  numbers,
  payloads,
  refused,
} from '../../../../../../test/support/eventstoredb/database-suite.ts';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { appendAll } from '../../append-all.ts';
import { openEventStoreDb } from '../../eventstoredb.ts';
import type { EventFilter, EventStore, ExpectedRevision, Position } from '../../port.ts';
import { numbered, readWholeLog } from '../../testing.ts';
import { ForeignStreamKeysError, InvalidEventStoreUrlError } from './errors.ts';

const suite = databaseSuite();

/** Subscribes and collects payloads until `stop` is called. */
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

describe('a connection that is lost during an append', () => {
  const cases: ['before' | 'after', ExpectedRevision, boolean][] = (['before', 'after'] as const).flatMap((moment) => [
    [moment, 1, false],
    [moment, 'any', false],
    [moment, 'stream-exists', false],
    [moment, 1, true],
  ]);
  it.each(cases)(
    '%s it is stored: events are stored once, expecting %p, erasing %p',
    async (moment, expected, erase) => {
      await suite.store.append(suite.stream, numbered(2), { expected: 'no-stream' });
      suite.database.server.cutNextAppends(moment);
      const result = await suite.store.append(suite.stream, numbered(3, 2), { expected, erase });
      expect(result).toMatchObject({ ok: true, revision: 4, erased: erase });
      const { events, erased } = await suite.store.readStream(suite.stream);
      expect(payloads(events)).toEqual(erase ? Array(5).fill(null) : numbers(0, 5));
      expect(erased).toBe(erase);
    },
  );

  it.each(['before', 'after'] as const)('%s it is stored, when it creates the stream', async (moment) => {
    suite.database.server.cutNextAppends(moment);
    const given = numbered(2);
    const result = await suite.store.append(suite.stream, given, { expected: 'no-stream' });
    expect(result).toMatchObject({ ok: true, revision: 1 });
    expect(await suite.store.append(suite.stream, given, { expected: 'no-stream' })).toEqual(result);
    expect(payloads((await suite.store.readStream(suite.stream)).events)).toEqual(numbers(0, 2));
  });

  it('repeatedly under load: every acknowledged event is stored once', async () => {
    const results = [];
    for (let round = 0; round < 10; round++) {
      suite.database.server.cutNextAppends('after', 'before');
      const appends = Array.from({ length: 10 }, (_, i) =>
        suite.store.append(`${suite.stream}x${i}`, numbered(1, round), {
          expected: round === 0 ? 'no-stream' : round - 1,
        }),
      );
      results.push(...(await Promise.all(appends)));
    }
    expect(results.every((result) => result.ok)).toBe(true);
    for (let i = 0; i < 10; i++) {
      expect(payloads((await suite.store.readStream(`${suite.stream}x${i}`)).events)).toEqual(numbers(0, 10));
    }
  });
});

describe('appends', () => {
  it('share one call', async () => {
    const own = await suite.database.client();
    const { requests } = suite.database.server;
    const before = { ...requests };
    for (let n = 0; n < 5; n++) {
      await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          own.append(`${suite.stream}y${i}`, numbered(1, n), { expected: n === 0 ? 'no-stream' : n - 1 }),
        ),
      );
    }
    expect(requests.appends - before.appends).toBe(50);
    expect(requests.appendCalls - before.appendCalls).toBe(1);
    expect(payloads((await own.readStream(`${suite.stream}y9`)).events)).toEqual(numbers(0, 5));
  });
});

describe('a server that is stopped', () => {
  it('for a while: subscriptions continue without gaps or repeats, appends and reads wait', async () => {
    const visitor = await suite.database.client();
    const after = await suite.store.head();
    const all = collect(suite.store, after);
    const some = collect(suite.store, after, { types: ['Numbered'], categories: ['document'] });
    await suite.store.append(suite.stream, numbered(5), { expected: 'no-stream' });
    await until(() => all.seen.length === 5 && some.seen.length === 5);

    for (let outage = 1; outage < 4; outage++) {
      await suite.database.server.stop();
      const waiting = Promise.all([
        suite.store.append(suite.stream, numbered(5, outage * 5), { expected: outage * 5 - 1 }),
        visitor.readStream(`${suite.stream}never`),
      ]);
      await refused(suite.database.server.port);
      await suite.database.server.start();
      expect(await waiting).toMatchObject([{ ok: true }, { revision: 'no-stream' }]);
    }
    await until(() => all.seen.length >= 20 && some.seen.length >= 20);
    for (const subscriber of [all, some]) {
      subscriber.stop();
      await subscriber.ended;
      expect(subscriber.seen).toEqual(numbers(0, 20));
    }
  });

  it('is retried for the patience, then reported without the password', async () => {
    const url = suite.database.server.url.replace('//', '//admin:changeit@');
    const visitor = await suite.database.client({ url, patience: 200 });
    await suite.database.server.stop();
    const failures = await Promise.all([
      visitor.append(suite.stream, numbered(1), { expected: 'any' }).catch((error: Error) => error),
      visitor.readStream(suite.stream).catch((error: Error) => error),
      visitor.readAll({ after: null, limit: 1 }).catch((error: Error) => error),
      openEventStoreDb({ url, keys: suite.database.keys, patience: 200 }).catch((error: Error) => error),
    ]);
    for (const failure of failures) {
      expect(failure).toMatchObject({ kind: 'transient', code: 'event_store_unreachable' });
      expect((failure as Error).message).toContain(`esdb://127.0.0.1:${suite.database.server.port}`);
      expect((failure as Error).message).not.toContain('changeit');
    }
  });

  it('blocks neither the end of a subscription nor close()', async () => {
    const visitor = await suite.database.client();
    const after = await visitor.head();
    const [aborted, closed] = [collect(visitor, after), collect(visitor, after)];
    await suite.database.server.stop();
    const reading = visitor.readStream(suite.stream);
    aborted.stop();
    await aborted.ended;
    await visitor.close();
    await expect(closed.ended).rejects.toThrow('closed');
    await expect(reading).rejects.toThrow('closed');
    await expect(visitor.head()).rejects.toThrow('closed');
  });
});

describe('a server that is frozen', () => {
  it('blocks neither the end of a subscription nor close()', async () => {
    const frozen = await EventStoreDbProcess.start();
    const visitor = await openEventStoreDb({ url: frozen.url, keys: new MemoryStreamKeys() });
    await visitor.append(suite.stream, numbered(1), { expected: 'no-stream' });
    frozen.freeze();
    const subscriber = collect(visitor, null);
    const reading = visitor.readStream(suite.stream);
    // The frozen server cannot tell whether the requests have reached it.
    await pause(50);
    subscriber.stop();
    await subscriber.ended;
    await visitor.close();
    await expect(reading).rejects.toThrow('closed');
    await frozen.stop();
  });
});

describe('a server that accepts connections and does not respond', () => {
  it('is retried for the patience, then reported', async () => {
    const taken: Socket[] = [];
    const silent = createServer((socket) => void taken.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `esdb://127.0.0.1:${(silent.address() as AddressInfo).port}?tls=false`;
    const opening = openEventStoreDb({ url, keys: new MemoryStreamKeys(), patience: 100 });
    await expect(opening).rejects.toThrow('cannot be reached: connected but unresponsive');
    silent.close();
    for (const socket of taken) socket.destroy();
  });
});

describe('close()', () => {
  it('ends subscriptions and unfinished reads', async () => {
    const visitor = await suite.database.client();
    await appendAll(suite.store, suite.stream, numbered(100), { expected: 'no-stream' });
    const waiting = collect(visitor, await suite.store.head());
    const abandoned = visitor.subscribe({ after: null, signal: new AbortController().signal, batch: 1 });
    await abandoned[Symbol.asyncIterator]().next();
    await visitor.close();
    await expect(waiting.ended).rejects.toThrow('closed');
    await visitor.close();
  });
});

describe('a slow subscriber', () => {
  it('receives no more events than it requests', async () => {
    const own = await TestDatabase.start();
    const writer = await own.client();
    await appendAll(writer, suite.stream, numbered(500), { expected: 'no-stream' });
    await writer.close();
    const reader = await own.client();
    const before = own.server.sent;
    const batches = reader.subscribe({ after: null, signal: new AbortController().signal, batch: 10 });
    const subscriber = batches[Symbol.asyncIterator]();
    for (let taken = 1; taken < 4; taken++) {
      await subscriber.next();
      // A window for events that were not requested: nothing tells that the server sends no more.
      await pause(50);
      // A batch, the event before it and the one after it; what replaces the server's own events; other requests.
      expect(own.server.sent - before).toBeLessThan(taken * 12 + 12);
    }
    await own.stop();
  });
});

describe('connecting', () => {
  it('rejects a malformed connection string without repeating its password', async () => {
    const opening = openEventStoreDb({
      url: 'http://admin:changeit@host:2113',
      keys: suite.database.keys,
    });
    await expect(opening).rejects.toThrow(InvalidEventStoreUrlError);
    await expect(opening).rejects.toThrow('http://host:2113');
    await expect(opening).rejects.not.toThrow('changeit');
  });

  it('rejects keys of another database', async () => {
    const other = await TestDatabase.start();
    const opening = openEventStoreDb({ url: suite.database.server.url, keys: other.keys });
    await expect(opening).rejects.toThrow(ForeignStreamKeysError);
    await other.stop();
  });

  it('assigns one id per database, also to concurrent first clients', async () => {
    const other = await TestDatabase.start();
    const names = (await Promise.all([1, 2, 3, 4].map(() => other.client()))).map(({ storeId }) => storeId);
    expect(new Set(names).size).toBe(1);
    expect(names).not.toContain(suite.store.storeId);
    await other.stop();
  });

  it('discovers a cluster by gossip', async () => {
    const visitor = await suite.database.client({ url: suite.database.server.url.replace('esdb:', 'esdb+discover:') });
    await visitor.append(suite.stream, numbered(1), { expected: 'no-stream' });
    expect(payloads((await visitor.readStream(suite.stream)).events)).toEqual(numbers(0, 1));
  });
});

describe('foreign data', () => {
  it('a position between two events is rejected', async () => {
    const { ok } = await suite.store.append(suite.stream, numbered(1), { expected: 'no-stream' });
    expect(ok).toBe(true);
    const [number, id] = ((await suite.store.head()) as string).split(/-(.*)/s);
    const between = suite.store.parsePosition(`${Number(number) - 1}-${id}`) as Position;
    await expect(suite.store.readAll({ after: between, limit: 1 })).rejects.toThrow(RangeError);
  });

  it('system streams, metadata, snapshots and events of other programs are not returned', async () => {
    const from = await suite.store.head();
    const visitor = EventStoreDBClient.connectionString(suite.database.server.url);
    await visitor.appendToStream(`document-by-hand`, jsonEvent({ type: 'Numbered', data: { n: 7 } }));
    await visitor.dispose();
    await suite.store.append(suite.stream, numbered(2), { expected: 'no-stream' });
    await suite.store.saveSnapshot(suite.stream, 1, 'model@1', { n: 1 });
    const subscriber = collect(suite.store, from);
    for (const filter of [
      {},
      { types: ['Numbered', 'Snapshot', '$metadata', '$statsCollected'] },
      { categories: ['document', 'snapshot', '$stats', '$$document'] },
    ]) {
      expect(payloads((await suite.store.readAll({ after: from, limit: 10, filter })).events)).toEqual(numbers(0, 2));
      expect((await readWholeLog(suite.store, { filter })).every((each) => each.stream.startsWith('document-'))).toBe(
        true,
      );
    }
    await until(() => subscriber.seen.length >= 2);
    subscriber.stop();
    await subscriber.ended;
    expect(subscriber.seen).toEqual(numbers(0, 2));
  });
});

test.each([undefined, 1, 1000])('a log of format %s is refused with a sentence', async (format) => {
  const database = await TestDatabase.start();
  const operator = EventStoreDBClient.connectionString(database.server.url);
  try {
    const { storeId } = await database.client();
    await operator.setStreamMetadata('mneme-store', { 'mneme-store': storeId, 'mneme-format': format });
    await expect(database.client()).rejects.toMatchObject({
      code: 'log_format',
      message: expect.stringMatching(
        `^The log in EventStoreDB has format ${format ?? 1}, and this program reads 2 only: run `,
      ),
    });
  } finally {
    await operator.dispose();
    await database.stop();
  }
});

test('a log whose identity an operator has tombstoned is refused with a sentence', async () => {
  const database = await TestDatabase.start();
  const operator = EventStoreDBClient.connectionString(database.server.url);
  try {
    await (await database.client()).close();
    await operator.tombstoneStream('mneme-store');
    await expect(database.client()).rejects.toMatchObject({
      code: 'event_store_identity_removed',
      message: expect.stringMatching(/^The stream mneme-store, which names this log, was deleted/),
    });
  } finally {
    await operator.dispose();
    await database.stop();
  }
});

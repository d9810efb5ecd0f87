import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { UnavailableError } from '@eventstore/db-client';
import gossip from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import { TestDatabase } from '../../../../../../test/support/eventstoredb/database.ts';
import { numbers, payloads } from '../../../../../../test/support/eventstoredb/database-suite.ts';
import { EventStoreDbServer } from '../../../../../../test/support/eventstoredb/server.ts';
import { listen } from '../../../../../../test/support/listen.ts';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import type { EventStore } from '../../port.ts';
import { numbered, readWholeLog } from '../../testing.ts';
import { Connection } from './connection.ts';
import { allRequest, newestOfAllRequest } from './requests.ts';

/** Two nodes on one log; the first one leads. They can be frozen. */
let database: TestDatabase;
let second: EventStoreDbServer;
let url: string;
const rejections: unknown[] = [];
const onRejection = (reason: unknown) => void rejections.push(reason);

beforeEach(async () => {
  database = await TestDatabase.start({ freezable: true });
  second = await EventStoreDbServer.start({ log: database.server.log, freezable: true });
  second.leader = database.server;
  url = `esdb://127.0.0.1:${database.server.port},127.0.0.1:${second.port}?tls=false`;
  rejections.length = 0;
  process.on('unhandledRejection', onRejection);
});
afterEach(async () => {
  await database.stop();
  await second.stop();
  process.off('unhandledRejection', onRejection);
  expect(rejections).toEqual([]);
});

const lead = (leader: EventStoreDbServer, follower: EventStoreDbServer) => {
  leader.leader = null;
  follower.leader = leader;
};
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error: { code?: unknown }) => error.code,
  );

test('an error that meets the failing search of another call for a node is answered, and ends nothing else', async () => {
  const connection = new Connection(
    `esdb://127.0.0.1:${database.server.port},127.0.0.1:1?tls=false&discoveryInterval=400`,
  );
  const begun = Promise.withResolvers<void>();
  const fails = Promise.withResolvers<void>();
  const first = connection.call<InstanceType<typeof gossip.GossipClient>, null>(
    gossip.GossipClient,
    (_client, _metadata, _options, answer) => {
      begun.resolve();
      void fails.promise.then(() => answer(new UnavailableError(undefined, 'lost') as never, null));
      return { cancel: () => {} };
    },
    60_000,
  );
  await begun.promise;
  await database.server.stop();
  const read = () => connection.read(newestOfAllRequest(null, 1));
  await expect(read()).rejects.toThrow(UnavailableError);
  const searching = read();
  fails.resolve();
  await expect(first).rejects.toThrow('lost');
  await expect(searching).rejects.toThrow('Failed to discover');
  // Node reports a rejection that nobody handles in a later turn.
  await pause(10);
  connection.close();
});

test('nodes that stop, freeze and return at different moments: every call is answered, every event is stored once', async () => {
  const store = await database.client({ url });
  const { server } = database;
  const end = new AbortController();
  const seen: unknown[] = [];
  const following = (async () => {
    for await (const { events } of store.subscribe({ after: null, signal: end.signal })) seen.push(...payloads(events));
  })();
  let isOver = false;
  const repeat = async (call: (n: number) => Promise<unknown>): Promise<number> => {
    let n = 0;
    for (; !isOver; n += 1) await call(n);
    return n;
  };
  const calls = [
    repeat((n) => store.append('document-1', numbered(1, n), { expected: n === 0 ? 'no-stream' : n - 1 })),
    repeat((n) => store.append(`document-x${n}`, numbered(1, n), { expected: 'any', erase: n % 5 === 0 })),
    repeat(() => store.readStream('document-1')),
    repeat(() => store.readAll({ after: null, limit: 10, filter: { types: ['Numbered'] } })),
    repeat(() => store.head()),
    repeat(() => store.knownHead()),
    repeat((n) => store.saveSnapshot('document-1', n, 'model@1', { n })),
    repeat(() => store.loadSnapshot('document-1', 'model@1')),
    repeat((n) => store.erase(`document-x${n}`)),
  ];
  await until(() => seen.length > 20);
  // The leader is killed, and the other node takes over.
  await server.stop();
  lead(second, server);
  await pause(300);
  await server.start();
  // The new leader freezes, and is replaced after two seconds.
  second.freeze();
  await pause(2_000);
  lead(server, second);
  await pause(3_000);
  second.thaw();
  await pause(200);
  // Both are away.
  await second.stop();
  await server.stop();
  await pause(1_500);
  await second.start();
  await server.start();
  const before = seen.length;
  await until(() => seen.length > before + 20);
  isOver = true;
  const [appended = 0, ...others] = await Promise.all(calls);
  for (const count of others) expect(count).toBeGreaterThan(0);
  expect(payloads((await store.readStream('document-1')).events)).toEqual(numbers(0, appended));
  const recorded = (await readWholeLog(store)).map(({ stream, revision }) => `${stream} ${revision}`);
  expect(new Set(recorded).size).toBe(recorded.length);
  await until(() => seen.length >= recorded.length);
  end.abort();
  await following;
  expect(seen).toHaveLength(recorded.length);
});

test('a server that freezes is left for another one, by reads, appends and subscriptions', async () => {
  const store = await database.client({ url });
  await store.append('document-1', numbered(1), { expected: 'no-stream' });
  database.server.freeze();
  const waiting = Promise.all([
    store.readStream('document-1'),
    store.append('document-1', numbered(1, 1), { expected: 0 }),
    store.head(),
  ]);
  await until(() => store.outage() !== null);
  lead(second, database.server);
  expect(await waiting).toMatchObject([{}, { ok: true, revision: 1 }, expect.any(String)]);
  await until(() => store.outage() === null);
  database.server.thaw();
});

test('what is unanswered when a single server freezes is answered once it goes on, and stored once', async () => {
  const store = await database.client();
  await store.append('document-1', numbered(1), { expected: 'no-stream' });
  database.server.freeze();
  const waiting = Promise.all([
    store.append('document-1', numbered(1, 1), { expected: 0 }),
    store.append('document-2', numbered(1), { expected: 'any' }),
  ]);
  await until(() => store.outage() !== null);
  database.server.thaw();
  expect(await waiting).toMatchObject([
    { ok: true, revision: 1 },
    { ok: true, revision: 0 },
  ]);
  expect(payloads((await store.readStream('document-1')).events)).toEqual(numbers(0, 2));
});

test('a read that takes long is left alone while the server answers others', async () => {
  const connection = new Connection(database.server.url);
  let isOver = false;
  const reading = connection.read(allRequest(null, 0, null)).finally(() => {
    isOver = true;
  });
  const { requests } = database.server;
  const before = requests.reads;
  // The server never answers this read. It would have been cancelled at the second question.
  await until(() => requests.reads >= before + 8);
  expect([isOver, connection.outage.lasts]).toEqual([false, null]);
  connection.close();
  await reading.catch(() => undefined);
});

describe('Exception was thrown by handler', () => {
  test('of a node that is on its way up is an outage', async () => {
    const store = await database.client();
    database.server.isFailing = true;
    const appending = store.append('document-1', numbered(1), { expected: 'no-stream' });
    const reading = store.readAll({ after: null, limit: 1 });
    await until(() => store.outage() !== null);
    database.server.isFailing = false;
    expect(await appending).toMatchObject({ ok: true, revision: 0 });
    expect(await reading).toMatchObject({ end: true });
  });

  test('leads to another node', async () => {
    const store = await database.client({ url });
    database.server.isFailing = true;
    lead(second, database.server);
    expect(await store.append('document-1', numbered(1), { expected: 'no-stream' })).toMatchObject({ ok: true });
  });

  test('is counted separately before and after a node was away', async () => {
    const store = await database.client();
    const { server } = database;
    server.isFailing = true;
    const reading = store.readStream('document-1');
    await until(() => store.outage() !== null);
    await server.stop();
    await until(() => (store.outage()?.lasts ?? 0) > 3_000);
    const { reads } = server.requests;
    await server.start();
    await until(() => server.requests.reads > reads + 1);
    server.isFailing = false;
    expect(await reading).toMatchObject({ revision: 'no-stream' });
  });

  test('of a node that keeps answering so is no outage in the end: the request may be wrong', async () => {
    const store = await database.client();
    database.server.isFailing = true;
    const begun = performance.now();
    await expect(store.readStream('document-1')).rejects.toMatchObject({ type: 'unknown' });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(2_000);
  });
});

describe('an outage longer than the patience', () => {
  const patience = 2_000;
  /** How long `count` calls take together, in milliseconds. All have to fail. */
  async function failing(store: EventStore, count: number): Promise<number> {
    const begun = performance.now();
    const calls = Array.from({ length: count }, (_, n) =>
      codeOf(store.append(`document-${n}`, numbered(1), { expected: 'any' })),
    );
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['event_store_unreachable']));
    return performance.now() - begun;
  }

  test('fails later calls soon, in all threads, with one attempt beside them, whose success ends it', async () => {
    const store = await database.client({ patience });
    const fed = await database.client({ patience, feed: store.newFeedPort() });
    await until(
      async () => (await store.head()) !== null || (await store.append('document-0', numbered(1), { expected: 'any' })),
    );
    const { port } = database.server;
    await database.server.stop();
    let attempts = 0;
    const refusing = createServer((socket) => {
      attempts += 1;
      socket.destroy();
    });
    await listen(refusing, port);
    expect(await failing(store, 1)).toBeGreaterThanOrEqual(patience);
    expect(fed.outage()).not.toBeNull();
    for (const client of [store, fed]) {
      const before = attempts;
      // Fewer than one attempt for each call.
      expect(await failing(client, 200)).toBeLessThan(patience);
      expect(attempts - before).toBeLessThan(100);
    }
    expect(attempts).toBeGreaterThan(0);
    refusing.close();
    await once(refusing, 'close');
    await database.server.start();
    await until(() => store.outage() === null && fed.outage() === null);
    expect(await store.append('document-9', numbered(1), { expected: 'any' })).toMatchObject({ ok: true });
  });

  test('counts from its beginning for calls that came later', async () => {
    const store = await database.client({ patience });
    await database.server.stop();
    const first = failing(store, 1);
    await until(() => (store.outage()?.lasts ?? 0) > patience / 2);
    const later = await failing(store, 1);
    expect(later).toBeLessThan(await first);
  });

  test('goes on when interruptions follow each other soon', async () => {
    const store = await database.client({ patience: 60_000 });
    await database.server.stop();
    await until(() => (store.outage()?.lasts ?? 0) > 500);
    await database.server.start();
    await until(() => store.outage() === null);
    await database.server.stop();
    await until(() => store.outage());
    expect(store.outage()?.lasts).toBeGreaterThan(500);
  });
});

test('the newest known position includes what this client has appended, and does not wait for the end of an outage', async () => {
  const store = await database.client({ patience: 600_000 });
  expect(await store.knownHead()).toBeNull();
  const appended = await store.append('document-1', numbered(1), { expected: 'no-stream' });
  const position = appended.ok ? appended.position : null;
  database.server.freeze();
  expect(await store.knownHead()).toBe(position);
  expect(await store.knownHead()).toBe(position);
  database.server.thaw();
  await until(() => store.outage() === null);
  const visitor = await database.client();
  await visitor.append('document-2', numbered(1), { expected: 'no-stream' });
  expect(await store.knownHead()).toBe(await visitor.head());
});

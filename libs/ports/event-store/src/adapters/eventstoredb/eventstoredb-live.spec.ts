import { setTimeout as pause } from 'node:timers/promises';
import { TestDatabase } from '../../../../../../test/support/eventstoredb/database.ts';
import { databaseSuite, numbers, payloads } from '../../../../../../test/support/eventstoredb/database-suite.ts';
import { EventStoreDbServer } from '../../../../../../test/support/eventstoredb/server.ts';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { createCommandHandler } from '../../command-handler.ts';
import { createFoldCache } from '../../fold-cache.ts';
import type { Model } from '../../model.ts';
import type { EventFilter, EventStore, Position } from '../../port.ts';
import { event, numbered } from '../../testing.ts';

const suite = databaseSuite();

interface Reader {
  readonly seen: unknown[];
  stop(): Promise<void>;
}

/** Collects the payloads that a subscription delivers. @param pauseMs after each batch of at most seven */
function read(store: EventStore, after: Position | null, filter: EventFilter = {}, pauseMs = 0): Reader {
  const end = new AbortController();
  const seen: unknown[] = [];
  const ended = (async () => {
    for await (const { events } of store.subscribe({ after, filter, signal: end.signal, batch: 7 })) {
      seen.push(...payloads(events));
      if (pauseMs > 0) await pause(pauseMs);
    }
  })();
  // A test that failed has closed the store.
  ended.catch(() => undefined);
  return {
    seen,
    async stop() {
      end.abort();
      await ended;
    },
  };
}

it('one subscription serves all readers that have caught up, without reads', async () => {
  const store = await suite.database.client();
  await store.append(`${suite.stream}a`, numbered(3), { expected: 'no-stream' });
  const { requests } = suite.database.server;
  const after = await store.head();
  const readers = [{}, { categories: ['document'] }, { types: ['Numbered'] }, { types: ['Never'] }].map((filter) =>
    read(store, after, filter),
  );
  await store.append(`${suite.stream}a`, numbered(1), { expected: 2 });
  await until(() => readers.slice(0, 3).every(({ seen }) => seen.length === 1));
  const before = { ...requests };
  for (let n = 1; n < 50; n++) {
    await store.append(`${suite.stream}x${n}`, numbered(1, n), { expected: 'no-stream' });
    if (n % 10 === 0) suite.database.server.writeStats();
  }
  await until(() => readers.slice(0, 3).every(({ seen }) => seen.length === 50));
  expect(requests).toMatchObject({ reads: before.reads, subscriptions: before.subscriptions });
  await Promise.all(readers.map((reader) => reader.stop()));
  expect(readers.map(({ seen }) => seen)).toEqual([numbers(0, 50), numbers(0, 50), numbers(0, 50), []]);
});

it('a state that is not in memory takes one request where it may be stale, and is not kept beyond its erasure', async () => {
  const [store, other] = [await suite.database.client(), await suite.database.client()];
  const { requests } = suite.database.server;
  const stream = `${suite.stream}w`;
  const sum: Model<number> = {
    ...{ name: 'sum', version: 1, initialState: 0 },
    evolve: (state, { payload }) => state + ((payload as { n: number } | null)?.n ?? 0),
  };
  /** With a cache that holds nothing yet. */
  const load = async (mayBeStale: boolean) => {
    const cache = createFoldCache({ characters: 10 });
    const handler = createCommandHandler({ store, clock: { now: () => 0 }, cache });
    const before = requests.reads;
    const { state } = await handler.load(stream, sum, { mayBeStale });
    return { state, reads: requests.reads - before };
  };
  await store.append(stream, numbered(3), { expected: 'no-stream' });
  // Once it follows the log, it knows that the stream is not erased.
  await until(async () => (await load(true)).reads === 1);
  expect(await load(true)).toEqual({ state: 3, reads: 1 });
  expect(await load(false)).toEqual({ state: 3, reads: 2 });
  await other.erase(stream);
  expect((await load(false)).state).toBe(0);
  expect((await load(true)).state).toBe(0);
});

it('readers that fall behind, broken subscriptions and leader changes: every event once, in order', async () => {
  const { server } = suite.database;
  const second = await EventStoreDbServer.start({ log: server.log });
  const url = `esdb://127.0.0.1:${server.port},127.0.0.1:${second.port}?tls=false`;
  const store = await suite.database.client({ url, liveBytes: 15_000 });
  const writer = await suite.database.client({ url });
  const lead = (leader: EventStoreDbServer, follower: EventStoreDbServer) => {
    leader.leader = null;
    follower.leader = leader;
  };
  lead(server, second);
  try {
    const after = await store.head();
    const readers = [
      read(store, after),
      read(store, after, {}, 4),
      read(store, after, { categories: ['document'], types: ['Even'] }),
      read(store, after, { types: ['Even'] }, 9),
    ];
    const release = server.holdSubscriptions();
    for (let n = 0; n < 400; n += 4) {
      const four = [n, n + 1, n + 2, n + 3].map((i) => event(i % 2 ? 'Odd' : 'Even', { n: i }));
      await writer.append(`${suite.stream}x${n % 28}`, four, { expected: 'any' });
      if (n === 100) release();
      if (n % 80 === 40) server.cutConnections();
      if (n % 80 === 60) server.writeStats();
      if (n === 160) lead(second, server);
      if (n === 280) lead(server, second);
      // The readers come up with the writer now and then.
      if (n % 60 === 0) await pause(20);
    }
    await until(() => readers.every(({ seen }, i) => seen.length >= (i < 2 ? 400 : 200)));
    await Promise.all(readers.map((reader) => reader.stop()));
    const [all, even] = [numbers(0, 400), numbers(0, 400).filter(({ n }) => n % 2 === 0)];
    expect(readers.map(({ seen }) => seen)).toEqual([all, all, even, even]);
  } finally {
    await Promise.all([store.close(), writer.close()]);
    lead(server, second);
    await second.stop();
  }
});

it('a client with a feed has no subscription, and reads every event once across interruptions and erasures', async () => {
  // Of its own: clients of other tests subscribe again at any time.
  const database = await TestDatabase.start();
  const { server } = database;
  const store = await database.client();
  await until(() => server.requests.subscriptions === 1);
  const fed = await database.client({ feed: store.newFeedPort(), liveBytes: 15_000 });
  const after = await store.head();
  const readers = [read(fed, after), read(fed, after, {}, 4)];
  await store.append(`${suite.stream}erased`, numbered(1, 1_000), { expected: 'no-stream' });
  await until(() => readers.every(({ seen }) => seen.length === 1));
  expect(server.requests.subscriptions).toBe(1);
  for (let n = 0; n < 200; n += 2) {
    await store.append(`${suite.stream}x${n % 28}`, numbered(2, n), { expected: 'any' });
    if (n % 60 !== 40) continue;
    server.cutConnections();
    await until(() => readers[0]?.seen.length === n + 3);
  }
  await until(() => readers.every(({ seen }) => seen.length === 201));
  await store.erase(`${suite.stream}erased`);
  const last = await fed.append(`${suite.stream}erased`, numbered(1), { expected: 0 });
  expect(last).toMatchObject({ ok: true, erased: true });
  await until(() => readers.every(({ seen }) => seen.length === 202));
  await Promise.all(readers.map((reader) => reader.stop()));
  const expected = [...numbers(1_000, 1_001), ...numbers(0, 200), null];
  expect(readers.map(({ seen }) => seen)).toEqual([expected, expected]);
  await database.stop();
});

it('a client with a feed follows the log by itself when the other client is closed', async () => {
  const [store, writer] = [await suite.database.client(), await suite.database.client()];
  const fed = await suite.database.client({ feed: store.newFeedPort() });
  const reader = read(fed, await store.head());
  await writer.append(suite.stream, numbered(1), { expected: 'no-stream' });
  await until(() => reader.seen.length === 1);
  await store.close();
  await writer.append(suite.stream, numbered(1, 1), { expected: 0 });
  await until(() => reader.seen.length === 2);
  await writer.append(suite.stream, numbered(1, 2), { expected: 1 });
  await until(() => reader.seen.length === 3);
  await reader.stop();
  expect(reader.seen).toEqual(numbers(0, 3));
});

it('the head is the newest own event, whatever the server has recorded since', async () => {
  const { server } = suite.database;
  const store = await suite.database.client();
  const appended = await store.append(suite.stream, numbered(2), { expected: 'no-stream' });
  for (let i = 0; i < 200; i++) server.writeStats();
  const late = await suite.database.client();
  const position = appended.ok ? appended.position : null;
  expect([await store.head(), await late.head()]).toEqual([position, position]);
  const sent = server.sent;
  for (let i = 0; i < 5; i++) expect(await late.head()).toBe(position);
  expect(server.sent - sent).toBeLessThan(20);
});

import { databaseSuite, numbers, payloads } from '../../../../../../test/support/eventstoredb/database-suite.ts';
import { EventStoreDbServer } from '../../../../../../test/support/eventstoredb/server.ts';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import type { EventStore } from '../../port.ts';
import { numbered, readWholeLog } from '../../testing.ts';

/** Two nodes on one log; the node of the suite leads at first. */
const suite = databaseSuite();
let second: EventStoreDbServer;
let store: EventStore;

const lead = (leader: EventStoreDbServer, follower: EventStoreDbServer) => {
  leader.leader = null;
  follower.leader = leader;
};

beforeEach(async () => {
  const { server } = suite.database;
  second = await EventStoreDbServer.start({ log: server.log });
  lead(server, second);
  const url = `esdb://127.0.0.1:${server.port},127.0.0.1:${second.port}?tls=false`;
  store = await suite.database.client({ url });
});
afterEach(async () => {
  await store.close();
  lead(suite.database.server, second);
  await second.stop();
});

test('a node that is not the leader: the client goes on at the leader', async () => {
  lead(second, suite.database.server);
  const visitor = await suite.database.client();
  expect(await visitor.append(suite.stream, numbered(1), { expected: 'no-stream' })).toMatchObject({ ok: true });
  expect(payloads((await visitor.readStream(suite.stream)).events)).toEqual(numbers(0, 1));
  await visitor.close();
});

test('a leader change between append and read: the events are read at the new leader', async () => {
  await store.append(suite.stream, numbered(2), { expected: 'no-stream' });
  lead(second, suite.database.server);
  expect(payloads((await store.readStream(suite.stream)).events)).toEqual(numbers(0, 2));
  expect((await readWholeLog(store)).filter(({ stream }) => stream === suite.stream)).toHaveLength(2);
  lead(suite.database.server, second);
  expect(await store.append(suite.stream, numbered(1, 2), { expected: 1 })).toMatchObject({ ok: true, revision: 2 });
  expect(payloads((await store.readStream(suite.stream)).events)).toEqual(numbers(0, 3));
});

test('leader changes under load: every event is stored once, and subscribers miss none', async () => {
  const after = await store.head();
  const stop = new AbortController();
  const seen: unknown[] = [];
  const following = (async () => {
    for await (const { events } of store.subscribe({ after, signal: stop.signal })) seen.push(...payloads(events));
  })();
  for (let n = 0; n < 12; n++) {
    const append = store.append(suite.stream, numbered(1, n), { expected: n === 0 ? 'no-stream' : n - 1 });
    if (n % 3 === 0)
      lead(
        ...((n % 2 ? [second, suite.database.server] : [suite.database.server, second]) as [
          EventStoreDbServer,
          EventStoreDbServer,
        ]),
      );
    expect(await append).toMatchObject({ ok: true, revision: n });
  }
  await until(() => seen.length >= 12);
  stop.abort();
  await following;
  expect(seen).toEqual(numbers(0, 12));
});

test.each([1, 'any'] as const)(
  'an append that timed out and was stored is stored once, expecting %p',
  async (expected) => {
    await store.append(suite.stream, numbered(2), { expected: 'no-stream' });
    suite.database.server.cutNextAppends('timeout');
    expect(await store.append(suite.stream, numbered(2, 2), { expected })).toMatchObject({ ok: true, revision: 3 });
    expect(payloads((await store.readStream(suite.stream)).events)).toEqual(numbers(0, 4));
  },
);

test('an append that timed out and was stored, when it creates the stream and when it erases it', async () => {
  suite.database.server.cutNextAppends('timeout');
  expect(await store.append(suite.stream, numbered(1), { expected: 'no-stream' })).toMatchObject({ revision: 0 });
  suite.database.server.cutNextAppends('timeout');
  const erasing = store.append(suite.stream, numbered(1, 1), { expected: 0, erase: true });
  expect(await erasing).toMatchObject({ ok: true, revision: 1, erased: true });
  expect(payloads((await store.readStream(suite.stream)).events)).toEqual([null, null]);
});

test("the server's own statistics reach no reader, and do not stop one", async () => {
  const after = await store.head();
  const stop = new AbortController();
  const seen: unknown[] = [];
  const following = (async () => {
    for await (const { events } of store.subscribe({ after, signal: stop.signal, batch: 5 })) {
      seen.push(...payloads(events));
    }
  })();
  for (let n = 0; n < 10; n++) {
    for (let i = 0; i < 40; i++) suite.database.server.writeStats();
    await store.append(`${suite.stream}x${n}`, numbered(1, n), { expected: 'no-stream' });
  }
  for (let i = 0; i < 40; i++) suite.database.server.writeStats();
  await until(() => seen.length >= 10);
  stop.abort();
  await following;
  expect(seen).toEqual(numbers(0, 10));
  const slice = await store.readAll({ after, limit: 100 });
  expect(payloads(slice.events)).toEqual(numbers(0, 10));
  expect(slice).toMatchObject({ end: true, position: await store.head() });
});

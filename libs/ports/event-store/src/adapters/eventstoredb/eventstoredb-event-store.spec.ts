import { EventStoreDBClient } from '@eventstore/db-client';
import { MemoryStreamKeys } from '../../../../../../test/support/eventstoredb/database.ts';
import { numbers, payloads } from '../../../../../../test/support/eventstoredb/database-suite.ts';
import { EventStoreDbServer } from '../../../../../../test/support/eventstoredb/server.ts';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { createCommandHandler } from '../../command-handler.ts';
import { eventStoreContract } from '../../event-store.contract.ts';
import { openEventStoreDb } from '../../eventstoredb.ts';
import { createFoldCache } from '../../fold-cache.ts';
import type { Model } from '../../model.ts';
import type { EventStore } from '../../port.ts';
import { event, numbered } from '../../testing.ts';

/** A server of one's own choice, empty, e.g. `esdb://127.0.0.1:2113?tls=false`; the one for tests otherwise. */
const OWN = process.env.MNEME_TEST_EVENTSTORE_URL;

const keys = new MemoryStreamKeys();
let server: EventStoreDbServer | null = null;
let url: string;

beforeAll(async () => {
  server = OWN ? null : await EventStoreDbServer.start();
  url = OWN ?? (server as EventStoreDbServer).url;
});
afterAll(() => server?.stop());

const open = () => openEventStoreDb({ url, keys });

eventStoreContract('EventStoreDB', async () => {
  const [store, other] = [await open(), await open()];
  return { store, other, close: async () => void (await Promise.all([store.close(), other.close()])) };
});

it('reports each chain of an append to several streams when it is recorded', async () => {
  const store = await open();
  await store.append('chains-known', numbered(1), { expected: 'no-stream' });
  const chains = ['known', 'one', 'two'].map((name) => [
    { stream: `chains-${name}`, events: numbered(1), expected: 'no-stream' as const },
  ]);
  const reported = new Map<unknown, unknown>();
  const results = await store.appendTogether(chains, {
    onRecorded: (chain, result) => reported.set(chain, result),
  });
  expect(results.map(({ ok }) => ok)).toEqual([false, true, true]);
  expect(chains.map((chain) => reported.get(chain))).toEqual([undefined, ...results.slice(1)]);
  await store.close();
});

describe.each(['tombstoned', 'soft-deleted'] as const)('a stream that an operator has %s', (how) => {
  let operator: EventStoreDBClient;
  let store: EventStore;
  let other: EventStore;
  let stream: string;
  let streams = 0;

  beforeAll(async () => {
    operator = EventStoreDBClient.connectionString(url);
    [store, other] = [await open(), await open()];
  });
  beforeEach(async () => {
    stream = `${how === 'tombstoned' ? 'tombs' : 'softs'}-${++streams}x`;
    await store.append(stream, numbered(3), { expected: 'no-stream' });
  });
  afterAll(async () => {
    await Promise.all([operator.dispose(), store.close(), other.close()]);
  });

  const remove = () => (how === 'tombstoned' ? operator.tombstoneStream(stream) : operator.deleteStream(stream));

  test('counts as erased, and continues at higher revisions', async () => {
    const other0 = await other.readStream(stream);
    await remove();
    for (const client of [store, other]) {
      const slice = await client.readStream(stream);
      expect(slice).toEqual({ events: [], revision: expect.any(Number), erased: true });
    }
    const { revision } = (await store.readStream(stream)) as { revision: number };
    expect(revision).toBeGreaterThan(other0.revision as number);
    const conflicts = [
      await other.append(stream, numbered(1), { expected: 'no-stream' }),
      await other.append(stream, numbered(1), { expected: 2 }),
    ];
    expect(conflicts).toEqual(Array(2).fill({ ok: false, conflict: { actual: revision } }));

    const head = await store.head();
    const appended = await other.append(stream, numbered(2, 7), { expected: revision });
    expect(appended).toMatchObject({ ok: true, revision: revision + 2, erased: false });
    expect(await other.append(stream, numbered(1, 9), { expected: revision + 2 })).toMatchObject({ ok: true });
    const { events, ...rest } = await store.readStream(stream);
    expect(payloads(events)).toEqual(numbers(7, 10));
    expect(rest).toEqual({ revision: revision + 3, erased: true });
    const all = await store.readAll({ after: head, limit: 10 });
    expect(all.events.map((each) => [each.stream, each.revision, each.payload])).toEqual(
      [7, 8, 9].map((n, i) => [stream, revision + 1 + i, { n }]),
    );
    expect(payloads((await store.readStream(stream, { from: revision + 2, limit: 1 })).events)).toEqual(numbers(8, 9));
    await store.erase(stream);
    expect(payloads((await other.readStream(stream)).events)).toEqual([null, null, null]);
  });

  test('is reported, also what was removed before; its keys are destroyed', async () => {
    const stop = new AbortController();
    const after = await store.head();
    await remove();
    const found: string[] = [];
    const following = (async () => {
      for await (const { streams: names } of store.removals?.({ after, signal: stop.signal }) ?? [])
        found.push(...names);
    })();
    await until(() => found.includes(stream));
    const first = stream;
    stream = `${stream}y`;
    await store.append(stream, numbered(1), { expected: 'no-stream' });
    await remove();
    await until(() => found.includes(stream));
    stop.abort();
    await following;
    expect(new Set(found)).toEqual(new Set([first, stream]));
    const reader = await open();
    const { events } = await reader.readAll({
      after: null,
      limit: 100_000,
      filter: { categories: [stream.split('-')[0]!] },
    });
    const ofBoth = events.filter((each) => [first, stream].includes(each.stream));
    expect(payloads(ofBoth)).toEqual([null, null, null, null]);
    await reader.close();
  });

  test('does not come back with an append at the revision that the caller has seen', async () => {
    const stop = new AbortController();
    const removals = store.removals?.({ after: await store.head(), signal: stop.signal })[Symbol.asyncIterator]();
    await remove();
    await store.append(stream, numbered(1, 3), { expected: 2 });
    await removals?.next();
    await until(async () => (await other.readStream(stream)).events.length === 0);
    expect(await other.readStream(stream)).toMatchObject({ erased: true });
    stop.abort();
  });

  test('has the state that its model has for it', async () => {
    const model: Model<number | 'removed'> = {
      ...{ name: 'sum', version: 1, initialState: 0, removedState: 'removed' },
      evolve: (state, { payload }) => Number(state === 'removed' ? 100 : state) + Number(payload?.n ?? 0),
    };
    const options = { clock: { now: () => 0 }, cache: createFoldCache({ characters: 1_000 }) };
    const handler = createCommandHandler({ store, ...options });
    expect((await handler.load(stream, model)).state).toBe(3);
    await remove();
    await until(async () => (await handler.load(stream, model)).state === 'removed');
    const decide = (state: number | 'removed') =>
      ({ ok: true, value: state === 'removed' ? [event('Numbered', { n: 5 })] : [] }) as const;
    expect(await handler.execute({ stream, model, decide })).toMatchObject({ ok: true, value: { state: 105 } });
  });
});

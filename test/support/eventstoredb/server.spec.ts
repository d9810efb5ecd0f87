import {
  type AllStreamSubscription,
  EventStoreDBClient,
  jsonEvent,
  StreamDeletedError,
  StreamNotFoundError,
  streamNameFilter,
  UnavailableError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { EventStoreDbProcess } from './database.ts';
import { EventStoreDbServer } from './server.ts';

/** The test server, tested with the published client. */
let server: EventStoreDbServer;
let client: EventStoreDBClient;
let streams = 0;
let stream: string;

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => jsonEvent({ type: 'Numbered', data: { n: from + i }, metadata: { m: i } }));

const numberIn = (event: { data: unknown } | undefined) => (event as { data: { n: number } }).data.n;

async function numbersOf(events: AsyncIterable<{ event?: { data: unknown } | undefined }>): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { event } of events) numbers.push(numberIn(event));
  return numbers;
}

beforeAll(async () => {
  server = await EventStoreDbServer.start();
  client = EventStoreDBClient.connectionString(server.url);
});
beforeEach(() => {
  stream = `test-${++streams}`;
});
afterAll(async () => {
  await client.dispose();
  await server.stop();
});

it.each([
  ['in a batch, on the connection that all appends share', {}],
  ['in a separate call', { credentials: { username: 'user', password: 'ignored without TLS' } }],
])('stores %s', async (_, options) => {
  const appended = await client.appendToStream(stream, numbered(3), { ...options, expectedRevision: 'no_stream' });
  expect(appended).toMatchObject({ success: true, nextExpectedRevision: 2n });
  const events = [];
  for await (const { event } of client.readStream(stream)) events.push(event);
  expect(events.map((event) => [event?.revision, event?.data, event?.metadata])).toEqual([
    [0n, { n: 0 }, { m: 0 }],
    [1n, { n: 1 }, { m: 1 }],
    [2n, { n: 2 }, { m: 2 }],
  ]);
  expect(events[2]?.position).toEqual(appended.position);
  expect(events[0]?.created.getTime()).toBeLessThanOrEqual(Date.now());

  const wrong = client.appendToStream(stream, numbered(1), { ...options, expectedRevision: 1n });
  await expect(wrong).rejects.toThrow(WrongExpectedVersionError);
  await expect(wrong).rejects.toMatchObject({ expectedVersion: 1n, actualVersion: 2n });
});

it('stores an event id once', async () => {
  const events = numbered(2);
  const first = await client.appendToStream(stream, events, { expectedRevision: 'no_stream' });
  expect(await client.appendToStream(stream, events, { expectedRevision: 'no_stream' })).toEqual(first);
  expect(await client.appendToStream(stream, events)).toEqual(first);
  const part = client.appendToStream(stream, [events[0]!, ...numbered(1)], { expectedRevision: 'no_stream' });
  await expect(part).rejects.toThrow(WrongExpectedVersionError);
});

it('reads a stream from a revision in both directions', async () => {
  await client.appendToStream(stream, numbered(5));
  expect(await numbersOf(client.readStream(stream, { fromRevision: 2n, maxCount: 2 }))).toEqual([2, 3]);
  expect(
    await numbersOf(client.readStream(stream, { direction: 'backwards', fromRevision: 'end', maxCount: 2 })),
  ).toEqual([4, 3]);
  await expect(numbersOf(client.readStream('never-1'))).rejects.toThrow(StreamNotFoundError);
});

it('reads all events from a position in both directions', async () => {
  const { position } = await client.appendToStream(stream, numbered(1, 100));
  await client.appendToStream(stream, numbered(2, 101));
  expect(await numbersOf(client.readAll({ fromPosition: position! }))).toEqual([100, 101, 102]);
  expect(await numbersOf(client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 2 }))).toEqual([
    102, 101,
  ]);
});

it('truncates a stream by $maxCount of its metadata', async () => {
  await client.setStreamMetadata(stream, { maxCount: 2 });
  await client.appendToStream(stream, numbered(5));
  expect(await numbersOf(client.readStream(stream))).toEqual([3, 4]);
  expect((await client.getStreamMetadata(stream)).metadata).toEqual({ maxCount: 2 });
});

it('sends matching events, checkpoints and new events to a filtered subscription', async () => {
  const { position } = await client.appendToStream(`other-${stream}`, numbered(1));
  await client.appendToStream(`wanted-${stream}`, numbered(40));
  const reached: bigint[] = [];
  let caughtUp = 0;
  const subscription: AllStreamSubscription = client
    .subscribeToAll({
      fromPosition: position!,
      filter: streamNameFilter({
        prefixes: ['wanted-'],
        checkpointReached: async (_, { commit }) => {
          reached.push(commit);
        },
      }),
    })
    .on('caughtUp', () => caughtUp++);
  const numbers: number[] = [];
  for await (const { event } of subscription) {
    numbers.push(numberIn(event));
    if (numbers.length === 40) await client.appendToStream(`other-${stream}`, numbered(1, 7));
    if (numbers.length === 40) await client.appendToStream(`wanted-${stream}`, numbered(1, 40));
    if (numbers.length === 41) await subscription.unsubscribe();
  }
  expect(numbers).toEqual(Array.from({ length: 41 }, (_, i) => i));
  expect(reached.length).toBeGreaterThan(0);
  expect(caughtUp).toBe(1);
});

it('hides a soft-deleted stream until the next append', async () => {
  await client.appendToStream(stream, numbered(2));
  await client.deleteStream(stream);
  await expect(numbersOf(client.readStream(stream))).rejects.toThrow(StreamNotFoundError);
  const again = await client.appendToStream(stream, numbered(1, 2), { expectedRevision: 'no_stream' });
  expect(again.nextExpectedRevision).toBe(2n);
  expect(await numbersOf(client.readStream(stream))).toEqual([2]);
});

it('tombstones a stream permanently', async () => {
  await client.appendToStream(stream, numbered(2));
  await client.tombstoneStream(stream);
  await expect(numbersOf(client.readStream(stream))).rejects.toThrow(StreamDeletedError);
  await expect(client.appendToStream(stream, numbered(1))).rejects.toThrow(StreamDeletedError);
});

it('answers gossip', async () => {
  const found = EventStoreDBClient.connectionString(`esdb+discover://127.0.0.1:${server.port}?tls=false`);
  await found.appendToStream(stream, numbered(1));
  expect(await numbersOf(found.readStream(stream))).toEqual([0]);
  await found.dispose();
});

it('restarts on its port with its data', async () => {
  const own = await EventStoreDbServer.start();
  const visitor = EventStoreDBClient.connectionString(own.url);
  await visitor.appendToStream(stream, numbered(2));
  await own.stop();
  await expect(visitor.appendToStream(stream, numbered(1))).rejects.toThrow(UnavailableError);
  await own.start();
  const again = EventStoreDBClient.connectionString(own.url);
  expect(await numbersOf(again.readStream(stream))).toEqual([0, 1]);
  await Promise.all([visitor.dispose(), again.dispose()]);
  await own.stop();
});

it('runs in a separate process', async () => {
  const apart = await EventStoreDbProcess.start();
  const visitor = EventStoreDBClient.connectionString(apart.url);
  await visitor.appendToStream(stream, numbered(1));
  expect(await numbersOf(visitor.readStream(stream))).toEqual([0]);
  await visitor.dispose();
  expect(await apart.stop()).toBe(0);
});

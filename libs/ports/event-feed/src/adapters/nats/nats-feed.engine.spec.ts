import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/nats-core';
import { newId, type OrganizationId, systemClock } from '#platform/kernel';
import { connectNats } from '#platform/nats';
import { type EventEnvelope, type RecordedEvent, SqliteEventStore } from '#ports/event-store';
import { now } from '../../../../../../test/support/clock.ts';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { type NatsServer, startNatsServer, testNatsUrl } from '../../../../../platform/nats/src/testing/nats-server.ts';
import { event, readWholeLog } from '../../../../event-store/src/testing.ts';
import { cursorOf, publicEvent, publishFeed } from '../../index.ts';

const ORGANIZATION = newId() as OrganizationId;
const DOCUMENT = `document-${ORGANIZATION}_${newId()}`;

let folder: string;
let store: SqliteEventStore;
let connection: NatsConnection;
let manager: JetStreamManager;
let prefix: string;
let stream: string;
let server: NatsServer | null;
let running: { readonly stop: AbortController; readonly ended: Promise<void> }[];
const warnings: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-feed-'));
  store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
  server = null;
  running = [];
  warnings.length = 0;
  prefix = `test${newId().replaceAll(/[-_]/g, '')}`;
  stream = `${prefix.toUpperCase()}_EVENTS`;
  await use(testNatsUrl());
});

afterEach(async () => {
  for (const { stop } of running) stop.abort();
  await Promise.all(running.map(({ ended }) => ended));
  await manager.streams.delete(stream).catch(() => undefined);
  await connection.close();
  await server?.remove();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function use(url: string): Promise<void> {
  connection = await connectNats({ url, name: 'test' });
  manager = await jetstreamManager(connection);
}

function start(more: { readonly retentionMs?: number } = {}): AbortController {
  const stop = new AbortController();
  const logger = { warn: (text: string) => void warnings.push(text) };
  const feed = { connection, store, clock: systemClock, signal: stop.signal, logger, prefix, ...more };
  running.push({ stop, ended: publishFeed(feed) });
  return stop;
}

const append = (count: number, envelope: Partial<EventEnvelope> = {}) =>
  Promise.all(
    Array.from({ length: count }, () =>
      store.append(
        DOCUMENT,
        [
          event(
            'ContentExtracted',
            { text: 'secret' },
            { organization: ORGANIZATION, at: new Date().toISOString(), ...envelope },
          ),
        ],
        { expected: 'any' },
      ),
    ),
  );

interface Published {
  readonly subject: string;
  readonly cursor: string;
  readonly body: { readonly id: string };
}

/** Returns the messages of the stream, in order. */
async function published(): Promise<readonly Published[]> {
  const found: Published[] = [];
  const { state } = await manager.streams.info(stream);
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const message = await manager.streams.getMessage(stream, { seq });
    if (message === null) continue;
    found.push({ subject: message.subject, cursor: message.header.get('Mneme-Position'), body: message.json() });
  }
  return found;
}

async function reached(count: number): Promise<readonly Published[]> {
  await until(
    async () => (await manager.streams.info(stream).catch(() => null))?.state.messages ?? 0,
    (messages) => messages >= count,
  );
  return published();
}

const expected = (events: readonly RecordedEvent[]): readonly Published[] =>
  events.map((each) => ({
    subject: `${prefix}.events.${ORGANIZATION}.document.${each.envelope.type}`,
    cursor: cursorOf(store.storeId, each.position),
    body: JSON.parse(JSON.stringify(publicEvent(each))),
  }));

it('publishes only envelopes of documents, earlier ones included', async () => {
  await append(3);
  await store.append(`key-${newId()}`, [event('KeyCreated')], { expected: 'no-stream' });
  start();
  await reached(3);
  await append(2);
  const found = await reached(5);
  expect(found).toEqual(expected(await readWholeLog(store, { filter: { categories: ['document'] } })));
  expect(JSON.stringify(found)).not.toContain('secret');
});

it('resumes after any time without publishing twice', async () => {
  await manager.streams.add({ name: stream, subjects: [`${prefix}.events.>`], duplicate_window: nanos(100) });
  await append(300);
  start().abort();
  await running[0]?.ended;
  start();
  await reached(300);
  running[1]?.stop.abort();
  await running[1]?.ended;
  await append(20);
  // Longer than the server recognizes duplicates for; it does not tell when that time is over.
  await pause(200);
  start();
  const found = await reached(320);
  expect(found).toEqual(expected(await readWholeLog(store)));
});

it('goes on after the last published event that an older copy of the log holds', async () => {
  await append(3);
  const copy = join(folder, 'copy.db');
  await store.copyTo(copy, { onCopied: () => {}, signal: new AbortController().signal });
  await append(4);
  const before = expected(await readWholeLog(store));
  start();
  await reached(7);
  running[0]?.stop.abort();
  await running[0]?.ended;
  await store.close();
  for (const part of ['', '-wal', '-shm']) await rm(join(folder, `events.db${part}`), { force: true });
  await rename(copy, join(folder, 'events.db'));
  store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
  await append(2);
  start();
  const found = await reached(9);
  expect(found).toEqual([...before, ...expected(await readWholeLog(store)).slice(3)]);
});

it('two concurrent publishers publish each event once, in order', async () => {
  start();
  start();
  for (let round = 0; round < 10; round += 1) await append(50);
  await reached(500);
  await append(1);
  const found = await reached(501);
  expect(found).toEqual(expected(await readWholeLog(store)));
});

it('publishes all events again after the stream was deleted', async () => {
  await append(3);
  start();
  await reached(3);
  await manager.streams.delete(stream);
  await append(1);
  expect(await reached(4)).toEqual(expected(await readWholeLog(store)));
});

it('does not publish events older than the retention to a new stream', async () => {
  await append(2, { at: new Date(Date.now() - 3_700_000).toISOString() });
  await append(2);
  start({ retentionMs: 3_600_000 });
  expect(await reached(2)).toEqual(expected(await readWholeLog(store)).slice(2));
  const { config } = await manager.streams.info(stream);
  expect(config.max_age).toBe(nanos(3_600_000));
});

it('can be replayed from a sequence and from a time', async () => {
  start();
  await append(3);
  await reached(3);
  await now();
  const time = await now();
  await append(2);
  const all = await reached(5);
  const read = async (from: object) => {
    const consumer = await jetstream(connection).consumers.get(stream, from);
    const first = await consumer.next();
    return first?.json();
  };
  expect(await read({ deliver_policy: 'by_start_sequence', opt_start_seq: 2 })).toEqual(all[1]?.body);
  expect(await read({ deliver_policy: 'by_start_time', opt_start_time: time })).toEqual(all[3]?.body);
});

it('publishes each event once while the server is killed repeatedly', async () => {
  await connection.close();
  server = await startNatsServer();
  await use(server.url);
  start();
  for (let round = 0; round < 3; round += 1) {
    await append(400);
    await reached(round * 800 + 1);
    const more = append(400);
    await server.kill();
    await more;
    await server.restart();
  }
  const found = await reached(2_400);
  expect(found).toEqual(expected(await readWholeLog(store)));
});

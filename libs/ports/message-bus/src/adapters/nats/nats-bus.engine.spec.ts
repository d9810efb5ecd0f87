import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import type { INestMicroservice } from '@nestjs/common';
import { newId } from '#platform/kernel';
import { connectNats } from '#platform/nats';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { testNatsUrl } from '../../../../../platform/nats/src/testing/nats-server.ts';
import { type NatsBusOptions, type OpenedNatsBus, openNatsBus } from '../../index.ts';
import {
  Calls,
  EXTRACT,
  type Handle,
  listen,
  messageBusContract,
  settled,
  workMessage,
} from '../../message-bus.contract.ts';

const connections: NatsConnection[] = [];
const prefixes: string[] = [];

async function connection(): Promise<NatsConnection> {
  const opened = await connectNats({ url: testNatsUrl(), name: 'test' });
  connections.push(opened);
  return opened;
}

async function open(more: Partial<NatsBusOptions> = {}): Promise<OpenedNatsBus> {
  const prefix = more.prefix ?? newPrefix();
  return openNatsBus({ ackWaitMs: 1_000, ...more, connection: more.connection ?? (await connection()), prefix });
}

function newPrefix(): string {
  const prefix = `test${newId().replaceAll(/[-_]/g, '')}`;
  prefixes.push(prefix);
  return prefix;
}

async function removeStreams(): Promise<void> {
  const manager = await jetstreamManager(await connection());
  for await (const { config } of manager.streams.list()) {
    if (prefixes.some((prefix) => config.name.startsWith(prefix.toUpperCase())))
      await manager.streams.delete(config.name);
  }
  prefixes.length = 0;
}

afterEach(async () => {
  await removeStreams();
  for (const opened of connections.splice(0)) await opened.close();
});

messageBusContract('NATS', open);

describe('the bus on NATS', () => {
  const apps: INestMicroservice[] = [];
  let manager: JetStreamManager;

  beforeEach(async () => {
    manager = await jetstreamManager(await connection());
  });
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close();
  });

  async function handling(opened: OpenedNatsBus, handle: Handle): Promise<INestMicroservice> {
    const app = await listen(opened.strategy, handle);
    apps.push(app);
    return app;
  }

  it('delivers each message to one of several processes', async () => {
    const one = await open();
    const two = await open({ prefix: prefixes[0] as string });
    const all = new Calls();
    const counts = [0, 0];
    for (const [i, opened] of [one, two].entries()) {
      await handling(opened, async (message, delivery, pattern) => {
        counts[i] = (counts[i] as number) + 1;
        await new Promise(setImmediate);
        await all.note(message, delivery, pattern);
      });
    }
    const messages = Array.from({ length: 400 }, () => workMessage());
    await Promise.all(messages.map((message) => one.bus.publish(EXTRACT, message)));
    await all.reached(400);
    expect(new Set(all.ids()).size).toBe(400);
    expect(Math.min(...counts)).toBeGreaterThan(50);
  });

  it('reports the number of workers as processes start, end and are lost', async () => {
    const presenceMs = 100;
    const { bus } = await open({ presenceMs });
    const prefix = prefixes[0] as string;
    const watching = new AbortController();
    let workers = 0;
    bus.watchWorkers((count) => {
      workers = count;
    }, watching.signal);
    const become = async (count: number) => {
      await until(
        () => workers,
        (present) => present === count,
      );
    };
    const calls = new Calls();
    await handling(await open({ presenceMs, prefix }), calls.note);
    const ending = await handling(await open({ presenceMs, prefix }), calls.note);
    const lost = await connection();
    await handling(await open({ presenceMs, prefix, connection: lost }), calls.note);
    await become(3);
    await lost.close();
    await become(2);
    await ending.close();
    await become(1);
    await handling(await open({ presenceMs, prefix }), calls.note);
    await become(2);
    watching.abort();
  });

  it('limits concurrent handlers', async () => {
    const opened = await open({ atOnce: () => 3 });
    const calls = new Calls();
    let running = 0;
    let most = 0;
    await handling(opened, async (message, delivery, pattern) => {
      running += 1;
      most = Math.max(most, running);
      // The first ones wait for each other.
      await until(
        () => most,
        (count) => count >= 3,
      );
      running -= 1;
      await calls.note(message, delivery, pattern);
    });
    await Promise.all(Array.from({ length: 60 }, () => opened.bus.publish(EXTRACT, workMessage())));
    await calls.reached(60);
    expect(most).toBe(3);
  });

  it('redelivers the message of a lost process to another one', async () => {
    const lost = await connection();
    const gate = Promise.withResolvers<void>();
    const calls = new Calls();
    await handling(await open({ connection: lost }), async (message, delivery, pattern) => {
      await calls.note(message, delivery, pattern);
      // No further heartbeat.
      await lost.close();
      await gate.promise;
    });
    const other = await open({ prefix: prefixes[0] as string });
    const message = workMessage();
    await other.bus.publish(EXTRACT, message);
    await calls.reached(1);
    await handling(other, calls.note);
    await calls.reached(2);
    await settled(other.bus, EXTRACT, message);
    gate.resolve();
    expect(calls.seen.map(({ delivery }) => delivery)).toEqual([1, 2]);
  });

  it('does not redeliver a message whose handler runs longer than ackWaitMs', async () => {
    const opened = await open();
    const other = await open({ prefix: prefixes[0] as string });
    let heartbeats = 0;
    (await connection()).subscribe('$JS.ACK.>', {
      callback: (_, { data }) => {
        if (Buffer.from(data).toString() === '+WPI') heartbeats += 1;
      },
    });
    const calls = new Calls();
    const slow: Handle = async (message, delivery, pattern) => {
      // There are three in the time of ackWaitMs.
      await until(
        () => heartbeats,
        (count) => count > 5,
      );
      await calls.note(message, delivery, pattern);
    };
    await handling(opened, slow);
    await handling(other, slow);
    const message = workMessage();
    await opened.bus.publish(EXTRACT, message);
    await calls.reached(1);
    await settled(opened.bus, EXTRACT, message);
    expect(calls.seen).toEqual([{ message, delivery: 1, pattern: EXTRACT }]);
  });

  it('leaves messages that arrive after its end to other processes, undelivered', async () => {
    const first = await open();
    const second = await open({ prefix: prefixes[0] as string });
    const calls = new Calls();
    await handling(first, () => Promise.reject(new Error('it takes nothing new')));
    await apps.pop()?.close();
    const message = workMessage();
    await first.bus.publish(EXTRACT, message);
    await handling(second, calls.note);
    await calls.reached(1);
    expect(calls.seen[0]?.delivery).toBe(1);
  });

  it('stores unreadable messages as dead letters, lists them and sends them again', async () => {
    const prefix = newPrefix();
    const opened = await open({ prefix });
    const { bus, deadLetters } = opened;
    const calls = new Calls();
    expect(await deadLetters.list({ after: null, limit: 10 })).toEqual([]);
    await handling(opened, calls.note);
    const good = workMessage();
    await bus.publish(EXTRACT, good);
    await calls.reached(1);
    const js = jetstream(connections[0] as NatsConnection);
    const wrong = { ...good, contentVersion: 'x' };
    const bodies = [new Uint8Array([123, 255, 0]), JSON.stringify(wrong), JSON.stringify(good)];
    for (const [i, body] of bodies.entries()) await js.publish(`${prefix}.work.extract.a.b.${i}`, body);
    const letters = await until(
      () => deadLetters.list({ after: null, limit: 10 }),
      ({ length }) => length === 3,
    );
    expect(letters.map(({ subject }) => subject).sort()).toEqual(
      [0, 1, 2].map((i) => `${prefix}.work.extract.a.b.${i}`),
    );
    expect(letters.map(({ why }) => why).sort()).toEqual([
      'contentVersion must be a whole number from 1',
      'it is not JSON',
      'its subject must be '.concat(`${prefix}.work.extract.${good.organization}.${good.documentId}.1`),
    ]);
    const raw = letters.find(({ why }) => why === 'it is not JSON');
    expect([...(raw?.body ?? [])]).toEqual([123, 255, 0]);
    expect(Date.parse(raw?.at ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(await deadLetters.list({ after: letters[0]?.id ?? '', limit: 1 })).toEqual([letters[1]]);

    // Still unreadable, so it becomes a new dead letter.
    const id = raw?.id ?? '';
    expect(await deadLetters.retry(id)).toBe(true);
    const again = async () => (await deadLetters.list({ after: letters[2]?.id ?? '', limit: 10 }))[0];
    expect(await until(again)).toMatchObject({ why: 'it is not JSON', subject: raw?.subject, body: raw?.body });
    expect(await deadLetters.retry(id)).toBe(false);
    expect(await deadLetters.remove(letters[0] === raw ? (letters[1]?.id ?? '') : (letters[0]?.id ?? ''))).toBe(true);
    expect(await deadLetters.list({ after: null, limit: 10 })).toHaveLength(2);
    expect(await deadLetters.remove('nonsense')).toBe(false);
    expect(calls.seen).toHaveLength(1);
  });

  it('creates streams and consumers again after their deletion', async () => {
    const prefix = newPrefix();
    const opened = await open({ prefix });
    const calls = new Calls();
    await handling(opened, calls.note);
    await opened.bus.publish(EXTRACT, workMessage());
    await calls.reached(1);
    await manager.streams.delete(`${prefix.toUpperCase()}_WORK_EXTRACT`);
    const second = workMessage();
    expect(await opened.bus.inProgress(EXTRACT, second)).toBe(false);
    await opened.bus.publish(EXTRACT, second);
    await calls.reached(2);
    await manager.consumers.delete(`${prefix.toUpperCase()}_WORK_EXTRACT`, 'worker');
    await opened.bus.publish(EXTRACT, workMessage());
    await calls.reached(3);
  });
});

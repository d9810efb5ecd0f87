import { setTimeout as pause } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/nats-core';
import type { INestMicroservice } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { connectNats } from '#platform/nats';
import { type MessageBus, type OpenedNatsBus, openNatsBus, type WorkMessage } from '#ports/message-bus';
import { atOnce, Stages, StagesController } from '#processing/pipeline';
import { until } from '../libs/platform/kernel/src/testing/eventually.ts';
import { type NatsServer, startNatsServer } from '../libs/platform/nats/src/testing/nats-server.ts';
import { readWholeLog } from '../libs/ports/event-store/src/testing.ts';
import { openPipeline, type Pipeline } from './support/pipeline.ts';

/** The process manager and the stages of the pipeline, connected by NATS. */

let server: NatsServer;
let pipeline: Pipeline;
let connections: NatsConnection[];
let workers: INestMicroservice[];

beforeEach(async () => {
  server = await startNatsServer();
  connections = [];
  workers = [];
});

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()));
  await pipeline.close();
  for (const connection of connections) await connection.close();
  await server.remove();
});

async function openBus(): Promise<OpenedNatsBus> {
  const connection = await connectNats({ url: server.url, name: 'test' });
  connections.push(connection);
  return openNatsBus({ connection, ackWaitMs: 2_000, atOnce });
}

async function startWorker(stages: Pick<Stages, 'run'>): Promise<void> {
  const { strategy } = await openBus();
  const testing = await Test.createTestingModule({
    controllers: [StagesController],
    providers: [{ provide: Stages, useValue: stages }],
  }).compile();
  const worker = testing.createNestMicroservice({ strategy });
  worker.useLogger(false);
  await worker.listen();
  workers.push(worker);
}

interface Wrappers {
  /** Wraps the bus of the process manager. */
  readonly bus?: (bus: MessageBus) => MessageBus;
  /** Wraps the stages of the workers. */
  readonly stages?: (stages: Stages) => Pick<Stages, 'run'>;
}

async function open({ bus = (it) => it, stages = (it) => it }: Wrappers = {}): Promise<void> {
  pipeline = await openPipeline({
    timing: { idle: 2_000, sweepEvery: 500 },
    bus: async (real) => {
      for (let i = 0; i < 2; i += 1) await startWorker(stages(real));
      return bus((await openBus()).bus);
    },
  });
}

const addAll = (count: number, tag = 't') =>
  Promise.all(Array.from({ length: count }, (_, i) => pipeline.add(`Note number ${i}.`, tag)));

async function indexed(count: number): Promise<void> {
  let left = count;
  const filter = { types: ['DocumentIndexed'] };
  for await (const { events } of pipeline.store.subscribe({
    after: null,
    filter,
    signal: AbortSignal.timeout(55_000),
  })) {
    left -= events.length;
    if (left <= 0) return;
  }
  throw new Error(`${left} documents are not done`);
}

/** Checks that each document has every event exactly once. */
async function expectOneEffectEach(count: number): Promise<void> {
  const types: Record<string, number> = {};
  for (const { envelope } of await readWholeLog(pipeline.store, { filter: { categories: ['document'] } })) {
    types[envelope.type] = (types[envelope.type] ?? 0) + 1;
  }
  const formed = ['ContentExtracted', 'ContentChunked', 'MemoriesFormed', 'SummaryFormed'];
  const once = ['DocumentAdded', ...formed, 'DocumentIndexed'];
  expect(types).toEqual(Object.fromEntries(once.map((type) => [type, count])));
}

test('a NATS server killed and restarted under load loses and duplicates no event', async () => {
  let refused = 0;
  await open({
    bus: (real) => ({
      inProgress: (pattern, message) => real.inProgress(pattern, message),
      watchWorkers: (...args) => real.watchWorkers(...args),
      publish: (pattern, message) =>
        real.publish(pattern, message).catch((error) => {
          refused += 1;
          throw error;
        }),
    }),
  });
  await addAll(200);
  await indexed(20);
  await server.kill();
  await addAll(200);
  await until(() => refused);
  await server.restart();
  await indexed(400);
  await expectOneEffectEach(400);
});

test('a NATS server restarted without data loses and duplicates no event', async () => {
  await open();
  await addAll(300);
  await indexed(20);
  await server.kill();
  await server.wipe();
  await server.restart();
  await indexed(300);
  await expectOneEffectEach(300);
});

test('duplicate and reordered messages have one effect', async () => {
  const published: Promise<void>[] = [];
  await open({
    bus: (real) => {
      const held: (() => Promise<void>)[] = [];
      return {
        inProgress: (pattern, message) => real.inProgress(pattern, message),
        watchWorkers: (...args) => real.watchWorkers(...args),
        publish: async (pattern: string, message: WorkMessage) => {
          // Publishes each message after the next one, and twice more during or after its processing.
          held.unshift(() => real.publish(pattern, message));
          published.push(pause(20).then(() => held.pop()?.()));
          for (const [attempt, ms] of [
            [7, 50],
            [8, 1_000],
          ] as const) {
            const duplicate = { ...message, attempt };
            published.push(
              pause(ms).then(async () => {
                await real.publish(pattern, duplicate);
                await until(async () => !(await real.inProgress(pattern, duplicate)));
              }),
            );
          }
        },
      };
    },
  });
  await addAll(50);
  await indexed(50);
  // On a busy machine the process manager publishes some messages again meanwhile.
  for (let awaited = 0; awaited < published.length; ) {
    awaited = published.length;
    await Promise.all(published);
  }
  await expectOneEffectEach(50);
});

test('one document of another tag is done before 50 of 1,000 documents queued first', async () => {
  const gate = Promise.withResolvers<void>();
  await open({
    stages: (stages) => ({ run: (...args) => gate.promise.then(() => stages.run(...args)) }),
  });
  await addAll(1_000, 'busy');
  const single = await pipeline.add('Only one.', 'single');
  await until(
    () => pipeline.load.unfinished,
    (count) => count >= 1_001,
  );
  gate.resolve();
  await pipeline.event(single, 'DocumentIndexed');
  const log = await readWholeLog(pipeline.store, { filter: { types: ['DocumentIndexed'] } });
  expect(log.findIndex(({ stream }) => stream.endsWith(single))).toBeLessThan(50);
});

test('each new worker gets work up to its limit, and no tag and no caller occupies all workers', async () => {
  const gate = Promise.withResolvers<void>();
  const running: string[] = [];
  const tags = new Map<string, string>();
  const holding = (stages: Stages): Pick<Stages, 'run'> => ({
    run: async (work, message, delivery) => {
      if (work === 'extract') {
        running.push(tags.get(message.documentId) as string);
        await gate.promise;
      }
      await stages.run(work, message, delivery);
    },
  });
  await open({ stages: holding });
  // One caller alone does not get all of it.
  const callers = { a: 'first', b: 'first', c: 'second' };
  for (const [tag, caller] of Object.entries(callers))
    for (let i = 0; i < 150; i += 1) tags.set(await pipeline.add(`Note ${i}.`, tag, null, caller), tag);
  const each = atOnce('pipeline.extract');
  const become = (count: number) =>
    until(
      () => running,
      ({ length }) => length >= count,
    );
  await become(2 * each);
  await startWorker(holding(pipeline.stages));
  await become(3 * each);
  for (const tag of Object.keys(callers)) {
    expect(running.filter((one) => one === tag).length).toBeLessThanOrEqual((3 * each) / 2);
  }
  expect(running.filter((tag) => tag !== 'c').length).toBeLessThan(3 * each);
  gate.resolve();
  await indexed(450);
  await expectOneEffectEach(450);
});

test('messages waiting on the bus are not dispatched again, lost messages are', async () => {
  const gate = Promise.withResolvers<void>();
  const sent: string[] = [];
  let looks = 0;
  await open({
    bus: (real) => ({
      inProgress: (pattern, message) => {
        looks += 1;
        return real.inProgress(pattern, message);
      },
      watchWorkers: (...args) => real.watchWorkers(...args),
      publish: async (pattern, message) => {
        sent.push(`${pattern} ${message.attempt}`);
        // Loses the first message of the last stage.
        if (pattern === 'pipeline.index' && message.attempt === 1) return;
        await real.publish(pattern, message);
      },
    }),
    stages: (stages) => ({
      run: (work, ...args) =>
        (work === 'extract' ? gate.promise : Promise.resolve()).then(() => stages.run(work, ...args)),
    }),
  });
  await pipeline.add('The kettle is in the blue cupboard.');
  // A sweep asks for a message after the idle timeout.
  await until(
    () => looks,
    (count) => count >= 3,
  );
  gate.resolve();
  await indexed(1);
  expect(sent).toEqual(['pipeline.extract 1', 'pipeline.index 1', 'pipeline.index 2']);
});

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { systemClock } from '#platform/kernel';
import { connectNats } from '#platform/nats';
import { publicEvent, publishFeed } from '#ports/event-feed';
import { eventually } from '../libs/platform/kernel/src/testing/eventually.ts';
import { type NatsServer, startNatsServer } from '../libs/platform/nats/src/testing/nats-server.ts';
import { readWholeLog } from '../libs/ports/event-store/src/testing.ts';
import { openPipeline, type Pipeline, READY, TestEmbedder } from './support/pipeline.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = readFileSync(resolve(ROOT, 'docs/events.md'), 'utf8');

let server: NatsServer;
let connection: NatsConnection;
let pipeline: Pipeline;
let ids: readonly string[];

beforeAll(async () => {
  server = await startNatsServer();
  connection = await connectNats({ url: server.url, name: 'test' });
  const embedder = new TestEmbedder();
  embedder.become(READY);
  pipeline = await openPipeline({ embedder });
  ids = [
    await pipeline.add('The kettle is in the blue cupboard.'),
    await pipeline.add(`<html><body>${'The pan is below. '.repeat(10)}</body></html>`),
  ];
  for (const id of ids) await pipeline.event(id, 'DocumentIndexed');
  const failed = await pipeline.add('http://192.0.2.1/page');
  await pipeline.event(failed, 'ProcessingFailed');
});

afterAll(async () => {
  await pipeline.close();
  await connection.close();
  await server.remove();
});

test('the example in docs/events.md prints searchable documents', async () => {
  const stop = new AbortController();
  const logger = { warn: () => undefined };
  const feed = publishFeed({ connection, store: pipeline.store, clock: systemClock, signal: stop.signal, logger });
  // The example expects the stream of a server that has published before.
  const manager = await jetstreamManager(connection);
  await eventually(() => manager.streams.info('MNEME_EVENTS').catch(() => null));

  const example = /```js\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? '';
  const child = spawn(process.execPath, ['--input-type=module', '--eval', example], {
    cwd: ROOT,
    env: { ...process.env, NATS_URL: server.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (lines.length === ids.length) break;
    }
    expect(lines.map((line) => line.split(' ')[2]).sort()).toEqual([...ids].sort());
  } finally {
    child.kill('SIGKILL');
    stop.abort();
    await feed;
  }
});

test('docs/events.md lists each event with its published fields', async () => {
  const common = Object.keys(JSON.parse(/```json\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? '')).filter(
    (name) => !['contentVersion', 'stage', 'sizes'].includes(name),
  );
  const table = /\| event, as published[\s\S]*?\n\n/.exec(PAGE)?.[0] ?? '';
  const listed = new Map(
    [...table.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, type, fields = '']) => [
      type,
      [...fields.replaceAll(/\(.*?\)/g, '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
    ]),
  );
  const seen = new Set<string>();
  for (const recorded of await readWholeLog(pipeline.store)) {
    const published = JSON.parse(JSON.stringify(publicEvent(recorded))) as { type: string };
    seen.add(published.type);
    expect({ [published.type]: Object.keys(published).sort() }).toEqual({
      [published.type]: [...common, ...(listed.get(published.type) ?? [])].sort(),
    });
  }
  expect([...seen]).toEqual(
    expect.arrayContaining([
      'StageStarted',
      'ContentExtracted',
      'UnitsEmbedded',
      'DocumentIndexed',
      'ProcessingFailed',
    ]),
  );
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openParts, type Parts } from '#composition/runtime';
import { loadConfig } from '#platform/config';
import { systemClock } from '#platform/kernel';
import { bgeSmallEn, EmbedderOff, e5SmallV2 } from '#ports/models';
import { until } from '../../../platform/kernel/src/testing/eventually.ts';
import { followGroup, keepToSelectedSpace } from './follow-spaces.ts';
import { GroupEmbedder } from './group-embedder.ts';
import { DEFAULT_GROUP } from './groups.ts';

const [FIRST, SECOND] = [e5SmallV2.space.name, bgeSmallEn.space.name];
const logger = { info: () => {}, warn: () => {}, error: () => {} };

let folder: string;
let parts: Parts;
let stopping: AbortController;
let running: Promise<unknown>[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-follow-'));
  await open();
});
afterEach(async () => {
  await close();
  await rm(folder, { recursive: true });
});

async function open(): Promise<void> {
  const { config } = loadConfig({ MNEME_DATA: folder });
  parts = await openParts(config, { clock: systemClock, logger });
  stopping = new AbortController();
  running = [parts.views.follow({ fencingToken: 1, signal: stopping.signal })];
}

async function close(): Promise<void> {
  stopping.abort();
  await Promise.all(running);
  await parts.close();
}

const viewsAreOf = (space: string) => until(async () => (await parts.views.reader.vectorSpace()) === space);
const rebuild = (space: string) => parts.views.rebuild({ space, onProgress: () => {}, signal: stopping.signal });

test('followGroup() loads the model of a space that is begun, and serves it once the views are of it', async () => {
  const started: string[] = [];
  const embedder = new GroupEmbedder(
    DEFAULT_GROUP,
    (space) => {
      started.push(space);
      return new EmbedderOff({ state: 'ready', space: { name: space, dimensions: 1 } });
    },
    FIRST,
  );
  running.push(followGroup(parts, embedder, { logger, signal: stopping.signal }));
  await parts.spaces.begin(DEFAULT_GROUP, SECOND);
  await until(() => embedder.coming !== null);
  expect(embedder.status()).toMatchObject({ space: { name: FIRST } });
  await parts.spaces.select(DEFAULT_GROUP, SECOND);
  // The views are not of the space yet, so the model must not serve.
  let looks = 0;
  const { reader } = parts.views;
  const { vectorSpace } = reader;
  Object.assign(reader, {
    vectorSpace: () => {
      looks += 1;
      return vectorSpace();
    },
  });
  await until(() => looks > 3);
  expect(embedder.status()).toMatchObject({ space: { name: FIRST } });
  await rebuild(SECOND);
  await until(() => embedder.coming === null);
  expect(embedder.status()).toMatchObject({ space: { name: SECOND } });
  await parts.spaces.begin(DEFAULT_GROUP, FIRST);
  await until(() => embedder.coming !== null);
  await parts.spaces.begin(DEFAULT_GROUP, SECOND);
  await until(() => embedder.coming === null);
  expect(started).toEqual([FIRST, SECOND, FIRST]);
});

test('keepToSelectedSpace() rebuilds the views if the process that selected a space ended before it did', async () => {
  await parts.spaces.begin(DEFAULT_GROUP, SECOND);
  await parts.spaces.select(DEFAULT_GROUP, SECOND);
  await close();
  await open();
  expect(await parts.views.reader.vectorSpace()).toBe(FIRST);
  running.push(
    keepToSelectedSpace(parts, DEFAULT_GROUP, { logger, signal: stopping.signal, switchTime: async () => {} }),
  );
  await viewsAreOf(SECOND);
});

test('keepToSelectedSpace() does not rebuild views that are of the space that was selected since', async () => {
  await parts.spaces.begin(DEFAULT_GROUP, SECOND);
  await parts.spaces.select(DEFAULT_GROUP, SECOND);
  const selected = Promise.withResolvers<void>();
  let [looks, rebuilds] = [0, 0];
  const vectorSpace = () => {
    looks += 1;
    return Promise.resolve(FIRST);
  };
  const rebuild = async () => {
    rebuilds += 1;
    return true;
  };
  const watching = { ...parts, views: { reader: { vectorSpace }, rebuild } } as unknown as Parts;
  running.push(
    keepToSelectedSpace(watching, DEFAULT_GROUP, {
      logger,
      signal: stopping.signal,
      switchTime: () => selected.promise,
    }),
  );
  await until(() => looks > 0);
  await parts.spaces.begin(DEFAULT_GROUP, FIRST);
  await parts.spaces.select(DEFAULT_GROUP, FIRST);
  selected.resolve();
  await until(() => looks > 1);
  expect(rebuilds).toBe(0);
});

test('new views are of the space that the log has selected', async () => {
  await parts.spaces.begin(DEFAULT_GROUP, SECOND);
  await parts.spaces.select(DEFAULT_GROUP, SECOND);
  await close();
  for (const part of ['', '-wal', '-shm']) await rm(join(folder, `views.db${part}`), { force: true });
  await open();
  expect(await parts.views.reader.vectorSpace()).toBe(SECOND);
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskBlobStore } from '#blobs';
import { SqliteEventStore } from '#event-store';
import { contentHash, type OrganizationId } from '#kernel';
import { SqliteVectorCache } from '#vector-cache';
import { event } from '../../../event-store/src/testing.ts';
import { documentStream } from '../streams.ts';
import { collectGarbage } from './collect.ts';
import { Erasure } from './erasure.ts';
import { ErasureFinisher } from './finish-erasures.ts';
import { sweepErased } from './sweep.ts';

const ORGANIZATION = 'organizationA' as OrganizationId;

let folder: string;
let store: SqliteEventStore;
let blobs: DiskBlobStore;
let vectors: SqliteVectorCache;
let erasure: Erasure;
let stop: AbortController;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-sweep-'));
  store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
  blobs = await DiskBlobStore.open(join(folder, 'blobs'));
  vectors = await SqliteVectorCache.open(join(folder, 'vectors.db'));
  erasure = new Erasure(blobs, vectors);
  stop = new AbortController();
});
afterEach(async () => {
  await vectors.close();
  await store.close();
  await rm(folder, { recursive: true });
});

const key = (id: string) => contentHash('space', ORGANIZATION, id);

/** Adds a document with one vector and one blob. */
async function added(id: string): Promise<void> {
  await store.append(documentStream(ORGANIZATION, id), [event('DocumentAdded', { id })], { expected: 'no-stream' });
  await stored(id);
}

/** What a stage stores for a document. */
async function stored(id: string): Promise<void> {
  await vectors.put(documentStream(ORGANIZATION, id), [{ key: key(id), vector: Uint8Array.of(1) }]);
  await blobs.put(`${ORGANIZATION}/${id}/text.utf8`, Buffer.from(id));
}

const deleted = (id: string, at = '2026-01-02T03:04:05.678Z') =>
  store.append(documentStream(ORGANIZATION, id), [event('DocumentDeleted', null, { at })], {
    expected: 'stream-exists',
    erase: true,
  });

async function left(...ids: readonly string[]) {
  const folders: string[] = [];
  for await (const name of blobs.listFolders()) folders.push(name.split('/')[1] as string);
  const found = await vectors.get(ids.map(key));
  return { vectors: ids.filter((_, i) => found[i] !== null), blobs: folders.sort() };
}

const sweep = () => sweepErased({ store, blobs, vectors, streamKeys: null, erasure, signal: stop.signal });

test('vectors and blobs that were stored after a deletion was finished go, those of other documents stay', async () => {
  for (const id of ['kept', 'gone', 'late']) await added(id);
  for (const id of ['gone', 'late']) await deleted(id);
  await new ErasureFinisher({ store, erasure, clock: { now: () => Date.now() } }).finish(stop.signal);
  expect(await left('kept', 'gone', 'late')).toEqual({ vectors: ['kept'], blobs: ['kept'] });
  await stored('late');
  expect(await sweep()).toBe(1);
  expect(await left('kept', 'gone', 'late')).toEqual({ vectors: ['kept'], blobs: ['kept'] });
  expect(await sweep()).toBe(0);
});

test('keys of an erased stream are destroyed with it', async () => {
  await added('kept');
  await added('gone');
  await deleted('gone');
  await erasure.erase(ORGANIZATION, 'gone');
  const erased: string[] = [];
  const streamKeys = {
    among: async (streams: ReadonlySet<string>) =>
      ['kept', 'gone'].map((id) => documentStream(ORGANIZATION, id)).filter((stream) => streams.has(stream)),
  };
  const log = { readAll: store.readAll.bind(store), erase: async (stream: string) => void erased.push(stream) };
  expect(await sweepErased({ store: log, blobs, vectors, streamKeys, erasure, signal: stop.signal })).toBe(1);
  expect(erased).toEqual([documentStream(ORGANIZATION, 'gone')]);
});

test('a sweep ends when it is stopped', async () => {
  await added('gone');
  await deleted('gone');
  stop.abort();
  await sweep();
  expect(await left('gone')).toEqual({ vectors: ['gone'], blobs: ['gone'] });
});

test('an erasure that has just begun is left to the next call', async () => {
  const now = Date.parse('2026-01-02T03:04:05.678Z');
  const finisher = new ErasureFinisher({ store, erasure, clock: { now: () => now } });
  await finisher.finish(stop.signal);
  await added('gone');
  // By the clock of another process, which is ahead.
  await deleted('gone', '2026-01-02T05:00:00.000Z');
  await finisher.finish(stop.signal);
  expect(await left('gone')).toEqual({ vectors: ['gone'], blobs: ['gone'] });
  await finisher.finish(stop.signal);
  expect(await left('gone')).toEqual({ vectors: [], blobs: [] });
});

test('the garbage collection ends at once, also while a store does not answer', async () => {
  await added('gone');
  await deleted('gone');
  const asked = Promise.withResolvers<void>();
  erasure.erase = () => {
    asked.resolve();
    return new Promise(() => undefined);
  };
  const logger = { warn: () => undefined, error: () => undefined };
  const clock = { now: () => Date.now() };
  const options = { store, blobs, vectors, streamKeys: null, erasure, clock, logger, signal: stop.signal };
  const collecting = collectGarbage(options);
  await asked.promise;
  stop.abort();
  await collecting;
});

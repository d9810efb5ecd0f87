import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskBlobStore } from '#blobs';
import { createCommandHandler, createFoldCache, SqliteEventStore } from '#event-store';
import { contentHash, type OrganizationId } from '#kernel';
import { SqliteVectorCache } from '#vector-cache';
import { event } from '../../../event-store/src/testing.ts';
import { documentStream } from '../streams.ts';
import { collectGarbage } from './collect.ts';
import { Erasure } from './erasure.ts';
import { ErasureReport } from './erasure-checkpoint.ts';
import { ErasureFinisher } from './finish-erasures.ts';
import { sweepErased } from './sweep.ts';

const ORGANIZATION = 'organizationA' as OrganizationId;

const logger = { warn: () => undefined, error: () => undefined };

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

const sweep = async () => {
  const { removed, failures } = await sweepErased({
    ...{ store, blobs, vectors, streamKeys: null, erasure, signal: stop.signal },
  });
  return { removed, failed: failures.count };
};

test('vectors and blobs that were stored after a deletion was finished go, those of other documents stay', async () => {
  for (const id of ['kept', 'gone', 'late']) await added(id);
  for (const id of ['gone', 'late']) await deleted(id);
  await new ErasureFinisher({ store, erasure, clock: { now: () => Date.now() }, logger }).finish(stop.signal);
  expect(await left('kept', 'gone', 'late')).toEqual({ vectors: ['kept'], blobs: ['kept'] });
  await stored('late');
  expect(await sweep()).toEqual({ removed: 1, failed: 0 });
  expect(await left('kept', 'gone', 'late')).toEqual({ vectors: ['kept'], blobs: ['kept'] });
  expect(await sweep()).toEqual({ removed: 0, failed: 0 });
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
  const swept = await sweepErased({ store: log, blobs, vectors, streamKeys, erasure, signal: stop.signal });
  expect(swept.removed).toBe(1);
  expect(erased).toEqual([documentStream(ORGANIZATION, 'gone')]);
});

test('what cannot be removed keeps the sweep from nothing else, and is removed later', async () => {
  const ids = Array.from({ length: 5 }, (_, i) => `doc${i}`);
  for (const id of ids) await added(id);
  for (const id of ids) await deleted(id);
  let broken = new Set(['doc0', 'doc3']);
  const erase = erasure.erase.bind(erasure);
  erasure.erase = async (organization, id) => {
    if (broken.has(id)) throw new Error('EACCES: permission denied');
    return erase(organization, id);
  };
  const { removed, failures } = await sweepErased({
    ...{ store, blobs, vectors, streamKeys: null, erasure, signal: stop.signal },
  });
  expect({ removed, failed: failures.count }).toEqual({ removed: 3, failed: 2 });
  expect(failures.first).toContain('EACCES: permission denied');
  expect(await left(...ids)).toEqual({ vectors: ['doc0', 'doc3'], blobs: ['doc0', 'doc3'] });
  broken = new Set();
  expect(await sweep()).toEqual({ removed: 2, failed: 0 });
  expect(await left(...ids)).toEqual({ vectors: [], blobs: [] });
});

test('a store that does not answer keeps the sweep from no other store', async () => {
  await added('gone');
  await deleted('gone');
  const away = {
    ownersAmong: () => {
      throw new Error('not reachable');
    },
  };
  const options = { store, blobs, vectors: away, streamKeys: null, erasure, signal: stop.signal };
  await expect(sweepErased(options)).rejects.toThrow('not reachable');
  expect(await left('gone')).toEqual({ vectors: [], blobs: [] });
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
  const finisher = new ErasureFinisher({ store, erasure, clock: { now: () => now }, logger });
  await finisher.finish(stop.signal);
  await added('gone');
  // By the clock of another process, which is ahead.
  await deleted('gone', '2026-01-02T05:00:00.000Z');
  await finisher.finish(stop.signal);
  expect(await left('gone')).toEqual({ vectors: ['gone'], blobs: ['gone'] });
  await finisher.finish(stop.signal);
  expect(await left('gone')).toEqual({ vectors: [], blobs: [] });
});

test('an erasure that fails delays no other one, and is repeated after growing pauses, also by the next process', async () => {
  let now = 0;
  let broken: string | null = 'broken';
  const attempts: number[] = [];
  const erase = erasure.erase.bind(erasure);
  erasure.erase = async (organization, id) => {
    if (id !== broken) return erase(organization, id);
    attempts.push(now);
    throw new Error('EACCES: permission denied');
  };
  for (const id of ['broken', 'gone']) await added(id);
  for (const id of ['broken', 'gone']) await deleted(id);
  const newFinisher = () => new ErasureFinisher({ store, erasure, clock: { now: () => now }, logger });
  const cache = createFoldCache({ characters: 10_000 });
  const report = new ErasureReport(createCommandHandler({ store, clock: { now: () => now }, cache }));
  let finisher = newFinisher();
  await finisher.finish(stop.signal);
  expect(await left('broken', 'gone')).toEqual({ vectors: ['broken'], blobs: ['broken'] });
  const failing = { stream: documentStream(ORGANIZATION, 'broken'), revision: 1, failures: 1, since: 0 };
  expect(await report.failing()).toEqual([{ ...failing, reason: 'EACCES: permission denied' }]);

  for (; now < 30 * 60_000; now += 10_000) await finisher.finish(stop.signal);
  expect(attempts.map((at) => at / 1_000)).toEqual([0, 30, 90, 210, 450, 930, 1_530]);
  // The next process knows of it, though its checkpoint is behind it.
  finisher = newFinisher();
  await finisher.finish(stop.signal);
  expect(attempts).toHaveLength(8);
  expect(await report.failing()).toMatchObject([{ failures: 8, since: 0 }]);

  broken = null;
  now += 10 * 60_000;
  await finisher.finish(stop.signal);
  expect(await left('broken', 'gone')).toEqual({ vectors: [], blobs: [] });
  expect(await report.failing()).toEqual([]);
});

test('when a store is back, everything that had failed is repeated at once', async () => {
  let now = 0;
  let isAway = true;
  const erase = erasure.erase.bind(erasure);
  erasure.erase = async (...args) => {
    if (isAway) throw new Error('not reachable');
    return erase(...args);
  };
  const ids = ['one', 'two', 'three'];
  for (const id of ids) await added(id);
  await deleted('one');
  const finisher = new ErasureFinisher({ store, erasure, clock: { now: () => now }, logger });
  await finisher.finish(stop.signal);
  for (const id of ['two', 'three']) await deleted(id);
  for (; now < 240_000; now += 30_000) await finisher.finish(stop.signal);
  isAway = false;
  // The first is due later than the others, because it has failed more often.
  await finisher.finish(stop.signal);
  expect(await left(...ids)).toEqual({ vectors: [], blobs: [] });
});

test('if every erasure fails, those that cannot be kept aside are left to later', async () => {
  let isAway = true;
  let attempts = 0;
  const erase = erasure.erase.bind(erasure);
  erasure.erase = async (...args) => {
    attempts += 1;
    if (isAway) throw new Error('not reachable');
    return erase(...args);
  };
  const ids = Array.from({ length: 150 }, (_, i) => `many${i}`);
  await Promise.all(ids.map(added));
  await Promise.all(ids.map((id) => deleted(id)));
  let now = 0;
  const finisher = new ErasureFinisher({ store, erasure, clock: { now: () => now }, logger });
  await expect(finisher.finish(stop.signal)).rejects.toThrow('not reachable');
  expect(attempts).toBe(101);
  isAway = false;
  now = 30_000;
  await finisher.finish(stop.signal);
  expect(await left(...ids)).toEqual({ vectors: [], blobs: [] });
});

test('the garbage collection ends at once, also while a store does not answer', async () => {
  await added('gone');
  await deleted('gone');
  const asked = Promise.withResolvers<void>();
  erasure.erase = () => {
    asked.resolve();
    return new Promise(() => undefined);
  };
  const clock = { now: () => Date.now() };
  const documents = { load: async () => ({ status: 'absent' }) as const };
  const options = { store, blobs, vectors, streamKeys: null, erasure, documents, clock, logger, signal: stop.signal };
  const collecting = collectGarbage(options);
  await asked.promise;
  stop.abort();
  await collecting;
});

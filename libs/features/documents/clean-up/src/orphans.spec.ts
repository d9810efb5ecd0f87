import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskBlobStore } from '#ports/blobs';
import { removeOrphans } from './orphans.ts';

let folder: string;
let blobs: DiskBlobStore;
/** Streams that exist. */
let streams: Set<string>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-orphans-'));
  blobs = await DiskBlobStore.open(folder);
  streams = new Set();
});
afterEach(() => rm(folder, { recursive: true }));

const store = {
  readStream: async (stream: string) => ({
    events: [],
    revision: streams.has(stream) ? 0 : ('no-stream' as const),
    erased: false,
  }),
};

const put = (id: string) => blobs.put(`org/${id}/text`, Uint8Array.of(1));
const documents = async () => (await Array.fromAsync(blobs.listFolders())).map((name) => name.split('/')[1]).sort();
/** Since when orphans are kept. */
let kept: string | null = null;
const orphans = { since: async () => kept, released: async () => {} };
const remove = () => {
  return removeOrphans({ store, blobs, documents: { orphans }, signal: new AbortController().signal, addTakes: 1 });
};

test('blobs of documents that were never added are removed', async () => {
  for (const id of ['added', 'orphan']) await put(id);
  streams.add('document-org_added');
  expect((await remove()).count).toBe(0);
  expect(await documents()).toEqual(['added']);
});

test('nothing is removed if it is found meanwhile that the log has another history', async () => {
  await put('lost');
  kept = '2026-01-02T03:04:05.678Z';
  await remove();
  kept = null;
  expect(await documents()).toEqual(['lost']);
});

test('blobs whose document is added while the removal waits stay', async () => {
  await put('late');
  const { readStream } = store;
  let reads = 0;
  store.readStream = async (stream) => {
    reads += 1;
    if (reads > 1) streams.add('document-org_late');
    return readStream(stream);
  };
  await remove();
  expect(await documents()).toEqual(['late']);
});

test('an orphan that cannot be removed keeps no other one', async () => {
  const ids = ['a', 'b', 'c'];
  for (const id of ids) await put(id);
  const deletePrefix = blobs.deletePrefix.bind(blobs);
  blobs.deletePrefix = async (prefix) => {
    if (prefix === 'org/b/') throw new Error('EACCES: permission denied');
    return deletePrefix(prefix);
  };
  expect(await remove()).toMatchObject({ count: 1, first: 'org/b: Error: EACCES: permission denied' });
  expect(await documents()).toEqual(['b']);
});

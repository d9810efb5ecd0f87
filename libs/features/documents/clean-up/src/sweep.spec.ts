import { ORGANIZATION, storesSuite, streamOf } from './stores.fixture.ts';
import { sweepErased } from './sweep.ts';

const suite = storesSuite();

const sweep = async () => {
  const { removed, failures } = await sweepErased({ ...suite.stores, streamKeys: null, signal: suite.stop.signal });
  return { removed, failed: failures.count };
};

test('vectors and blobs that were stored after a deletion was finished go, those of other documents stay', async () => {
  for (const id of ['kept', 'gone', 'late']) await suite.stores.added(id);
  for (const id of ['gone', 'late']) await suite.stores.deleted(id);
  for (const id of ['gone', 'late']) await suite.stores.erasure.erase(ORGANIZATION, id);
  expect(await suite.stores.left('kept', 'gone', 'late')).toEqual({ vectors: ['kept'], blobs: ['kept'] });
  await suite.stores.stored('late');
  expect(await sweep()).toEqual({ removed: 1, failed: 0 });
  expect(await suite.stores.left('kept', 'gone', 'late')).toEqual({ vectors: ['kept'], blobs: ['kept'] });
  expect(await sweep()).toEqual({ removed: 0, failed: 0 });
});

test('keys of an erased stream are destroyed with it', async () => {
  await suite.stores.added('kept');
  await suite.stores.added('gone');
  await suite.stores.deleted('gone');
  await suite.stores.erasure.erase(ORGANIZATION, 'gone');
  const erased: string[] = [];
  const streamKeys = {
    among: async (streams: ReadonlySet<string>) =>
      ['kept', 'gone'].map((id) => streamOf(id)).filter((stream) => streams.has(stream)),
  };
  const log = {
    readAll: suite.stores.store.readAll.bind(suite.stores.store),
    erase: async (stream: string) => void erased.push(stream),
  };
  const swept = await sweepErased({ ...suite.stores, store: log, streamKeys, signal: suite.stop.signal });
  expect(swept.removed).toBe(1);
  expect(erased).toEqual([streamOf('gone')]);
});

test('what cannot be removed keeps the sweep from nothing else, and is removed later', async () => {
  const ids = Array.from({ length: 5 }, (_, i) => `doc${i}`);
  for (const id of ids) await suite.stores.added(id);
  for (const id of ids) await suite.stores.deleted(id);
  let broken = new Set(['doc0', 'doc3']);
  const erase = suite.stores.erasure.erase.bind(suite.stores.erasure);
  suite.stores.erasure.erase = async (organization, id) => {
    if (broken.has(id)) throw new Error('EACCES: permission denied');
    return erase(organization, id);
  };
  const { removed, failures } = await sweepErased({
    ...{ ...suite.stores, streamKeys: null, signal: suite.stop.signal },
  });
  expect({ removed, failed: failures.count }).toEqual({ removed: 3, failed: 2 });
  expect(failures.first).toContain('EACCES: permission denied');
  expect(await suite.stores.left(...ids)).toEqual({ vectors: ['doc0', 'doc3'], blobs: ['doc0', 'doc3'] });
  broken = new Set();
  expect(await sweep()).toEqual({ removed: 2, failed: 0 });
  expect(await suite.stores.left(...ids)).toEqual({ vectors: [], blobs: [] });
});

test('a store that does not answer keeps the sweep from no other store', async () => {
  await suite.stores.added('gone');
  await suite.stores.deleted('gone');
  const away = {
    ownersAmong: () => {
      throw new Error('not reachable');
    },
  };
  const options = { ...suite.stores, vectors: away, streamKeys: null, signal: suite.stop.signal };
  await expect(sweepErased(options)).rejects.toThrow('not reachable');
  expect(await suite.stores.left('gone')).toEqual({ vectors: [], blobs: [] });
});

test('a sweep ends when it is stopped', async () => {
  await suite.stores.added('gone');
  await suite.stores.deleted('gone');
  suite.stop.abort();
  await sweep();
  expect(await suite.stores.left('gone')).toEqual({ vectors: ['gone'], blobs: ['gone'] });
});

import type { Position } from '#event-store';
import { recordRemovals, removedStreams } from './removed-streams.ts';
import { storesSuite, streamOf } from './stores.fixture.ts';

const suite = storesSuite();

test('a removed stream whose content cannot be erased keeps no other one from being recorded', async () => {
  const { stores, stop } = suite;
  const ids = ['broken', 'gone'];
  for (const id of ids) {
    await stores.added(id);
    await stores.store.erase(streamOf(id));
  }
  const erase = stores.erasure.erase.bind(stores.erasure);
  stores.erasure.erase = async (organization, id) => {
    if (id === 'broken') throw new Error('EACCES: permission denied');
    return erase(organization, id);
  };
  const position = (await stores.store.head()) as Position;
  const removals = async function* () {
    yield { streams: ids.map(streamOf), position, end: true };
  };
  const warnings: string[] = [];
  await recordRemovals({
    ...stores,
    store: Object.assign(stores.store, { removals }),
    documents: stores.newDocuments(),
    views: { documents: async () => [] },
    clock: { now: () => 0 },
    hide: () => undefined,
    logger: { warn: (message) => void warnings.push(message) },
    signal: stop.signal,
  });
  expect(await removedStreams(stores.store)).toEqual(ids.map(streamOf));
  expect(await stores.left(...ids)).toEqual({ vectors: ['broken'], blobs: ['broken'] });
  expect(warnings.filter((message) => message.includes('permission denied'))).toHaveLength(1);
});

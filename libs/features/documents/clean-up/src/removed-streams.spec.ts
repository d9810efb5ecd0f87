import type { Position } from '#ports/event-store';
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

test('any number of removals is read again page by page, and the next start begins behind the last of them', async () => {
  const { stores, stop } = suite;
  const head = (await stores.store.head()) as Position;
  const streams = Array.from({ length: 250 }, (_, i) => streamOf(`gone-${i}`));
  const removals = async function* () {
    for (const stream of streams) yield { streams: [stream], position: head, end: false };
  };
  const begun: (Position | null)[] = [];
  const store = Object.assign(stores.store, {
    removals: ({ after }: { after: Position | null }) => {
      begun.push(after);
      return begun.length === 1 ? removals() : [];
    },
  });
  const options = {
    ...{ ...stores, store, documents: stores.newDocuments(), views: { documents: async () => [] } },
    ...{ clock: { now: () => 0 }, hide: () => undefined, logger: { warn: () => undefined }, signal: stop.signal },
  } as unknown as Parameters<typeof recordRemovals>[0];
  await recordRemovals(options);
  const limits: (number | undefined)[] = [];
  const readStream = store.readStream.bind(store);
  store.readStream = (stream, range) => {
    if (stream === 'removed-streams') limits.push(range?.limit);
    return readStream(stream, range);
  };
  expect(await removedStreams(store)).toEqual(streams);
  await recordRemovals(options);
  expect(begun).toEqual([null, head]);
  expect(limits.length).toBeGreaterThan(4);
  expect(limits.every((limit) => limit !== undefined && limit <= 100)).toBe(true);
});

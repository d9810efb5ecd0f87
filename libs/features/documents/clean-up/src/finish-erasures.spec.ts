import { until } from '../../../../platform/kernel/src/testing/eventually.ts';
import { ErasureFinisher } from './finish-erasures.ts';
import { storesSuite, streamOf } from './stores.fixture.ts';

const logger = { warn: () => undefined };

const suite = storesSuite();

/** As of another process. */
const newFinisher = (now: () => number, erasure = suite.stores.erasure) =>
  new ErasureFinisher({
    store: suite.stores.store,
    erasure,
    documents: suite.stores.newDocuments(),
    clock: { now },
    logger,
  });

/** Makes the erasure of some documents fail. Returns the ids of those that were tried. */
function failFor(isBroken: (id: string) => boolean): string[] {
  const tried: string[] = [];
  const erase = suite.stores.erasure.erase.bind(suite.stores.erasure);
  suite.stores.erasure.erase = async (organization, id) => {
    tried.push(id);
    if (isBroken(id)) throw new Error('EACCES: permission denied');
    return erase(organization, id);
  };
  return tried;
}

test('an erasure that has just begun is left to the next call', async () => {
  const now = Date.parse('2026-01-02T03:04:05.678Z');
  const finisher = newFinisher(() => now);
  await finisher.finish(suite.stop.signal);
  await suite.stores.added('gone');
  // By the clock of another process, which is ahead.
  await suite.stores.deleted('gone', '2026-01-02T05:00:00.000Z');
  await finisher.finish(suite.stop.signal);
  expect(await suite.stores.left('gone')).toEqual({ vectors: ['gone'], blobs: ['gone'] });
  await finisher.finish(suite.stop.signal);
  expect(await suite.stores.left('gone')).toEqual({ vectors: [], blobs: [] });
});

test('an erasure that fails delays no other one, and is repeated after growing pauses, also by the next process', async () => {
  let now = 0;
  let broken: string | null = 'broken';
  const attempts: number[] = [];
  const erase = suite.stores.erasure.erase.bind(suite.stores.erasure);
  suite.stores.erasure.erase = async (organization, id) => {
    if (id !== broken) return erase(organization, id);
    attempts.push(now);
    throw new Error('EACCES: permission denied');
  };
  for (const id of ['broken', 'gone']) await suite.stores.added(id);
  for (const id of ['broken', 'gone']) await suite.stores.deleted(id);
  const report = suite.stores.newDocuments().erasures;
  let finisher = newFinisher(() => now);
  await finisher.finish(suite.stop.signal);
  expect(await suite.stores.left('broken', 'gone')).toEqual({ vectors: ['broken'], blobs: ['broken'] });
  const failing = { stream: streamOf('broken'), revision: 1, failures: 1, since: 0 };
  expect((await report.load()).failing).toEqual([{ ...failing, reason: 'EACCES: permission denied' }]);

  for (; now < 30 * 60_000; now += 10_000) await finisher.finish(suite.stop.signal);
  expect(attempts.map((at) => at / 1_000)).toEqual([0, 30, 90, 210, 450, 930, 1_530]);
  // The next process knows of it, though its checkpoint is behind it.
  finisher = newFinisher(() => now);
  await finisher.finish(suite.stop.signal);
  expect(attempts).toHaveLength(8);
  // The log has how often they fail at most every ten minutes, so the next process has missed one.
  expect((await report.load()).failing).toMatchObject([{ failures: 7, since: 0 }]);

  broken = null;
  now += 10 * 60_000;
  await finisher.finish(suite.stop.signal);
  expect(await suite.stores.left('broken', 'gone')).toEqual({ vectors: [], blobs: [] });
  expect((await report.load()).failing).toEqual([]);
});

test('when a store is back, everything that had failed is repeated at once', async () => {
  let now = 0;
  let isAway = true;
  const erase = suite.stores.erasure.erase.bind(suite.stores.erasure);
  suite.stores.erasure.erase = async (...args) => {
    if (isAway) throw new Error('not reachable');
    return erase(...args);
  };
  const ids = ['one', 'two', 'three'];
  for (const id of ids) await suite.stores.added(id);
  await suite.stores.deleted('one');
  const finisher = newFinisher(() => now);
  await finisher.finish(suite.stop.signal);
  for (const id of ['two', 'three']) await suite.stores.deleted(id);
  for (; now < 240_000; now += 30_000) await finisher.finish(suite.stop.signal);
  isAway = false;
  // The first is due later than the others, because it has failed more often.
  await finisher.finish(suite.stop.signal);
  expect(await suite.stores.left(...ids)).toEqual({ vectors: [], blobs: [] });
});

test('any number of failing erasures delays no other one, and none is forgotten by the next process', async () => {
  let now = 0;
  let isBroken = true;
  const broken = Array.from({ length: 250 }, (_, i) => `broken${i}`);
  const tried = failFor((id) => isBroken && id.startsWith('broken'));
  await Promise.all([...broken, 'last'].map((id) => suite.stores.added(id)));
  for (const id of [...broken, 'last']) await suite.stores.deleted(id);
  const { erasures } = suite.stores.newDocuments();
  const counts = async () => {
    const { failing, unlisted } = await erasures.load();
    return { listed: failing.length, unlisted };
  };
  await newFinisher(() => now).finish(suite.stop.signal);
  expect((await suite.stores.left('last')).vectors).toEqual([]);
  expect(await counts()).toEqual({ listed: 100, unlisted: 150 });

  for (let process = 0; process < 3; process += 1) {
    tried.length = 0;
    await newFinisher(() => now).finish(suite.stop.signal);
    expect(new Set(tried)).toEqual(new Set([...broken, 'last']));
    expect(await counts()).toEqual({ listed: 100, unlisted: 150 });
  }

  isBroken = false;
  now += 10 * 60_000;
  await newFinisher(() => now).finish(suite.stop.signal);
  expect(await suite.stores.left(...broken)).toEqual({ vectors: [], blobs: [] });
  expect(await counts()).toEqual({ listed: 0, unlisted: 0 });
});

test('erasures that wait long for an engine keep no other one from being finished', async () => {
  await suite.stores.added('slow');
  await suite.stores.added('gone');
  await suite.stores.deleted('slow');
  await suite.stores.deleted('gone');
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const erase = suite.stores.erasure.erase.bind(suite.stores.erasure);
  suite.stores.erasure.erase = async (organization, id) => {
    if (id === 'slow') {
      asked.resolve();
      await answer.promise;
    }
    return erase(organization, id);
  };
  const finishing = newFinisher(() => 0).finish(suite.stop.signal);
  await asked.promise;
  await until(
    async () => (await suite.stores.left('gone')).vectors,
    ({ length }) => length === 0,
  );
  answer.resolve();
  await finishing;
  expect(await suite.stores.left('slow', 'gone')).toEqual({ vectors: [], blobs: [] });
});

test('keys that cannot be destroyed keep no files and vectors from being erased', async () => {
  await suite.stores.added('gone');
  await suite.stores.deleted('gone');
  const { erase } = suite.stores.store;
  suite.stores.store.erase = async () => {
    throw new Error('not reachable');
  };
  const finisher = newFinisher(() => 0);
  await finisher.finish(suite.stop.signal);
  expect(await suite.stores.left('gone')).toEqual({ vectors: [], blobs: [] });
  expect((await suite.stores.newDocuments().erasures.load()).failing).toMatchObject([{ reason: 'not reachable' }]);
  suite.stores.store.erase = erase;
});

test('of two processes at the same time neither makes the other forget an erasure', async () => {
  for (const id of ['first', 'second']) await suite.stores.added(id);
  await suite.stores.deleted('first');
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const late = Object.create(suite.stores.erasure) as typeof suite.stores.erasure;
  late.erase = async () => {
    asked.resolve();
    await answer.promise;
    throw new Error('not reachable');
  };
  const former = newFinisher(() => 0, late).finish(suite.stop.signal);
  await asked.promise;
  let isBroken = true;
  const tried = failFor((id) => isBroken && id === 'second');
  const present = newFinisher(() => 0);
  await present.finish(suite.stop.signal);
  await suite.stores.deleted('second');
  await present.finish(suite.stop.signal);
  await present.finish(suite.stop.signal);
  expect(tried).toEqual(['first', 'second']);
  // The former holder of the lease, which knows nothing of the second deletion, records last.
  answer.resolve();
  await former;
  isBroken = false;
  await newFinisher(() => 0).finish(suite.stop.signal);
  expect(await suite.stores.left('first', 'second')).toEqual({ vectors: [], blobs: [] });
  expect(await suite.stores.newDocuments().erasures.load()).toMatchObject({ failing: [], unlisted: 0 });
});

test('a start reads a limited part of the checkpoints', async () => {
  const recorded = 700;
  const { erasures } = suite.stores.newDocuments();
  for (let i = 1; i <= recorded; i += 1) await erasures.record({ position: null, failing: [], unlisted: i });
  let read = 0;
  const { store } = suite.stores;
  const readStream = store.readStream.bind(store);
  store.readStream = async (...args) => {
    const slice = await readStream(...args);
    read += slice.events.length;
    return slice;
  };
  const load = () => suite.stores.newDocuments().erasures.load();
  // A snapshot is stored behind the back of the caller.
  do {
    read = 0;
    expect(await load()).toEqual({ position: null, failing: [], unlisted: recorded });
  } while (read > recorded / 2);
});

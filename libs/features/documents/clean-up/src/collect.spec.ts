import { collectGarbage } from './collect.ts';
import { storesSuite } from './stores.fixture.ts';

const logger = { warn: () => undefined, error: () => undefined };

const suite = storesSuite();

test('the garbage collection ends at once, also while a store does not answer', async () => {
  await suite.stores.added('gone');
  await suite.stores.deleted('gone');
  const asked = Promise.withResolvers<void>();
  suite.stores.erasure.erase = () => {
    asked.resolve();
    return new Promise(() => undefined);
  };
  const clock = { now: () => Date.now() };
  const documents = suite.stores.newDocuments();
  const options = { ...suite.stores, streamKeys: null, documents, clock, logger, signal: suite.stop.signal };
  const collecting = collectGarbage(options);
  await asked.promise;
  suite.stop.abort();
  await collecting;
});

test('what interrupted writes have left and cannot be removed is named in a warning, and tried again later', async () => {
  const warned = Promise.withResolvers<string>();
  suite.stores.blobs.removeInterrupted = async () => {
    throw new Error('EACCES: permission denied');
  };
  const collecting = collectGarbage({
    ...suite.stores,
    streamKeys: null,
    documents: suite.stores.newDocuments(),
    clock: { now: () => Date.now() },
    logger: { warn: warned.resolve, error: warned.reject },
    signal: suite.stop.signal,
  });
  expect(await warned.promise).toContain('interrupted writes of blobs: Error: EACCES: permission denied');
  suite.stop.abort();
  await collecting;
});

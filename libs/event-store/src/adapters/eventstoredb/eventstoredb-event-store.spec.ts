import { MemoryBlobs, TestDatabase } from '../../../../../test/support/eventstoredb/database.ts';
import { eventStoreContract } from '../../event-store.contract.ts';
import { openEventStoreDb } from '../../eventstoredb.ts';
import { blobStreamKeys } from '../../stream-keys.ts';

/** A server of one's own choice, empty, e.g. `esdb://127.0.0.1:2113?tls=false`; the one for tests otherwise. */
const url = process.env.MNEME_TEST_EVENTSTORE_URL;

eventStoreContract('EventStoreDB', async () => {
  if (url) {
    const keys = blobStreamKeys(new MemoryBlobs());
    const [store, other] = [await openEventStoreDb({ url, keys }), await openEventStoreDb({ url, keys })];
    return { store, other, close: async () => void (await Promise.all([store.close(), other.close()])) };
  }
  const database = await TestDatabase.start();
  return { store: await database.client(), other: await database.client(), close: () => database.stop() };
});

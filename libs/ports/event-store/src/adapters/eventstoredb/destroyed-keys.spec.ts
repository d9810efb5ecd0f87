import { databaseSuite } from '../../../../../../test/support/eventstoredb/database-suite.ts';
import { numbered } from '../../testing.ts';

const suite = databaseSuite();

test('a stream whose keys were destroyed after the copy is removed; one whose key is only missing is not', async () => {
  const { database, store: former } = suite;
  const streams = ['document-destroyed', 'document-missing', 'document-kept'];
  for (const stream of streams) await former.append(stream, numbered(1), { expected: 'no-stream' });
  const copy = database.server.log.copy();
  await former.erase('document-destroyed');
  for (const name of database.keys.namesOf('document-missing')) database.keys.held.delete(name);
  await former.close();
  await database.server.stop();
  database.server.log.restore(copy);
  await database.server.start();
  const store = await database.client();

  const { events } = await store.readAll({ after: null, limit: 10 });
  expect(events.map(({ stream }) => stream)).toEqual(streams);
  expect([events[0]?.payload, events[2]?.payload]).toEqual([null, { n: 0 }]);
  expect(() => events[1]?.payload).toThrow('is not in the key store');
  const removed = await store.readStream('document-destroyed');
  expect(removed).toEqual({ events: [], revision: expect.any(Number), erased: true });
  expect(database.server.log.isTombstoned('document-destroyed')).toBe(true);
  expect((await store.readStream('document-missing')).events).toHaveLength(1);
  const { revision } = removed as { revision: number };
  await store.append('document-destroyed', numbered(1, 5), { expected: revision });
  expect((await store.readStream('document-destroyed')).events.map(({ payload }) => payload)).toEqual([{ n: 5 }]);
  const { signal } = new AbortController();
  for await (const { streams: reported } of store.removals?.({ after: null, signal }) ?? []) {
    expect(reported).toEqual(['document-destroyed']);
    break;
  }
});

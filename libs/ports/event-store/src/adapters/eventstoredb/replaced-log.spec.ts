import { TestDatabase } from '../../../../../../test/support/eventstoredb/database.ts';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import type { EventStore, Position } from '../../port.ts';
import { numbered } from '../../testing.ts';

let database: TestDatabase;
let store: EventStore;

beforeEach(async () => {
  database = await TestDatabase.start();
  store = await database.client();
});
afterEach(() => database.stop());

async function appended(stream: string, from = 0): Promise<Position> {
  const result = await store.append(stream, numbered(1, from), { expected: 'any' });
  if (!result.ok) throw new Error('a conflict');
  return result.position;
}

/** Puts a copy of the database in its place while it is stopped. */
async function restore(copy: ReturnType<TestDatabase['server']['log']['copy']>): Promise<void> {
  await database.server.stop();
  database.server.log.restore(copy);
  await database.server.start();
}

/** Collects the numbers that a subscription delivers, and the error that ends it. */
function follow(after: Position | null) {
  const followed = { seen: [] as unknown[], error: null as unknown };
  const reading = (async () => {
    const { signal } = new AbortController();
    for await (const { events } of store.subscribe({ after, signal })) {
      followed.seen.push(...events.map(({ payload }) => payload?.n));
    }
  })();
  reading.catch((error: unknown) => {
    followed.error = error;
  });
  return followed;
}

test('a position is held after its event was scavenged, and not in an older copy that has grown beyond it', async () => {
  const kept = await appended('document-kept');
  const copy = database.server.log.copy();
  const gone = await appended('document-gone');
  await appended('document-behind');
  database.server.log.tombstone('document-gone', 'any');
  database.server.log.scavenge();
  expect([await store.holds(kept), await store.holds(gone)]).toEqual([true, true]);

  await store.close();
  await restore(copy);
  store = await database.client();
  expect([await store.holds(kept), await store.holds(gone)]).toEqual([true, false]);
  for (let n = 0; n < 20; n++) await appended('document-again', n);
  expect([await store.holds(kept), await store.holds(gone)]).toEqual([true, false]);
});

test('an outage without another log ends nothing', async () => {
  const after = await appended('document-a');
  const followed = follow(after);
  await appended('document-a', 1);
  await until(() => followed.seen.length === 1);
  await restore(database.server.log.copy());
  await appended('document-a', 2);
  await until(() => followed.seen.length === 2);
  expect(followed).toEqual({ seen: [1, 2], error: null });
});

test('a client whose log was replaced says so, and delivers no event of the other history', async () => {
  const copy = database.server.log.copy();
  const followed = follow(await store.head());
  await appended('document-a', 1);
  await until(() => followed.seen.length === 1);
  await database.server.stop();
  database.server.log.restore(copy);
  // Longer than the log before.
  for (let n = 0; n < 9; n++) {
    const event = { id: crypto.randomUUID(), type: 'Numbered', contentType: 'application/octet-stream' };
    database.server.log.append(
      'document-b',
      [{ ...event, data: new Uint8Array(), metadata: Buffer.from('{}') }],
      'any',
    );
  }
  await database.server.start();
  expect(await store.replaced).toMatchObject({
    code: 'event_log_replaced',
    message: expect.stringMatching(/^The event log was replaced, for example by an older copy/),
  });
  await until(() => followed.error);
  expect(followed).toMatchObject({ seen: [1], error: { code: 'event_log_replaced' } });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '#platform/thread-calls';
import { eventStoreContract } from '../../event-store.contract.ts';
import { numbered } from '../../testing.ts';
import { SqliteEventStore } from './sqlite-event-store.ts';
import { envelopeColumns, type NewAppend, type StoreApi } from './wire.ts';

const rowsOf = (name: string) =>
  numbered(1).flatMap(({ envelope }) => [...envelopeColumns(envelope), JSON.stringify({ name })]);

async function openTwo() {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-events-'));
  const owner = await SqliteEventStore.open({ path: join(folder, 'events.db') });
  const attached = await SqliteEventStore.attach(await owner.newClientPort());
  const close = async () => {
    await attached.close();
    await owner.close();
    await rm(folder, { recursive: true });
  };
  return { owner, attached, close };
}

eventStoreContract('SQLite, as its owner', async () => {
  const { owner, attached, close } = await openTwo();
  return { store: owner, other: attached, close };
});

eventStoreContract('SQLite, as a client of its thread', async () => {
  const { owner, attached, close } = await openTwo();
  return { store: attached, other: owner, close };
});

it('appends more than one message holds in one transaction', async () => {
  const { owner, attached, close } = await openTwo();
  const text = 'x'.repeat(30_000);
  const large = (names: readonly string[]) =>
    names.map((name) => [
      {
        stream: `document-${name}`,
        events: numbered(1).map((event) => ({ ...event, payload: { name, text } })),
        expected: 'no-stream' as const,
      },
    ]);
  const [first, second] = ['a', 'b'].map((store) => Array.from({ length: 60 }, (_, i) => `${store}${i}`));
  const appended = await Promise.all([
    owner.appendTogether(large(first as string[])),
    attached.appendTogether(large(second as string[])),
  ]);
  expect(appended.flat().every(({ ok }) => ok)).toBe(true);
  for (const name of [...(first as string[]), ...(second as string[])]) {
    const { events } = await owner.readStream(`document-${name}`);
    expect(events.map(({ payload }) => payload)).toEqual([{ name, text }]);
  }
  const head = await owner.head();
  const again = await owner.appendTogether(large([...Array.from({ length: 60 }, (_, i) => `c${i}`), 'a0']));
  expect(again.map(({ ok }) => ok)).toEqual(Array(61).fill(false));
  expect(await owner.head()).toBe(head);
  await close();
});

it('refuses a batch as a whole if messages that were sent ahead did not arrive', async () => {
  const { owner, close } = await openTwo();
  const remote = connect<StoreApi>(await owner.newClientPort());
  const append = (name: string): NewAppend => [`document-${name}`, rowsOf(name), 'no-stream'];
  await remote.call('appendAhead', [append('a')], 1);
  await expect(remote.call('appendTogether', [append('c')], { id: 1, count: 2, without: [] })).rejects.toThrow(
    '1 arrived',
  );
  await expect(remote.call('appendTogether', [append('c')], { id: 2, count: 1, without: [] })).rejects.toThrow(
    '0 arrived',
  );
  expect(await owner.head()).toBeNull();

  // What was sent for a batch that was refused belongs to no other one.
  await remote.call('appendAhead', [append('b')], 1);
  const reply = await remote.call('appendTogether', [append('c')], { id: 1, count: 1, without: [] });
  expect(reply).toHaveProperty('appended.length', 2);
  expect((await owner.readStream('document-a')).revision).toBe('no-stream');
  remote.close();
  await close();
});

it('appends to several streams in one transaction: after a conflict it records nothing', async () => {
  const { owner, close } = await openTwo();
  await owner.append('document-known', numbered(1), { expected: 'no-stream' });
  const head = await owner.head();
  const results = await owner.appendTogether([
    [{ stream: 'document-free', events: numbered(1), expected: 'no-stream' }],
    [{ stream: 'document-known', events: numbered(1), expected: 'no-stream' }],
  ]);
  expect(results).toEqual([
    { ok: false, conflict: null, error: null },
    { ok: false, conflict: 'document-known', error: null },
  ]);
  expect(await owner.head()).toBe(head);
  await close();
});

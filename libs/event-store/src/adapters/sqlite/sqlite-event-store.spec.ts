import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventStoreContract } from '../../event-store.contract.ts';
import { numbered } from '../../testing.ts';
import { SqliteEventStore } from './sqlite-event-store.ts';

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

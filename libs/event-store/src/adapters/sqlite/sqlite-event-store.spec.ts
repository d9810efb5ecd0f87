import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventStoreContract } from '../../event-store.contract.ts';
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

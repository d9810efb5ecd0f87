import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestDatabase } from '../../../../test/support/eventstoredb/database.ts';
import { commandHandlerContract } from './command-handler.contract.ts';
import { SqliteEventStore } from './index.ts';

commandHandlerContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-events-'));
  const store = await SqliteEventStore.open({ path: join(folder, 'events.db') });
  const other = await SqliteEventStore.attach(await store.newClientPort());
  const close = async () => {
    await other.close();
    await store.close();
    await rm(folder, { recursive: true });
  };
  return { store, other, close };
});

commandHandlerContract('EventStoreDB', async () => {
  const database = await TestDatabase.start();
  return { store: await database.client(), other: await database.client(), close: () => database.stop() };
});

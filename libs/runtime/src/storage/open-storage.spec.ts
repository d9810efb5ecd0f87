import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from './open-storage.ts';

test('embedded engines keep their folder to themselves, and give it back', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'mneme-engines-'));
  const settings = {
    ...{ dataFolder, cacheBytes: 0, prefix: 'mneme' },
    ...{ eventStoreUrl: null, natsUrl: null, openSearchUrl: null },
  };
  const storage = await openStorage(settings);
  try {
    expect(storage.nats).toBeNull();
    await expect(openStorage(settings)).rejects.toMatchObject({ name: 'DataFolderInUseError' });
    expect(await readdir(dataFolder)).toEqual(expect.arrayContaining(['blobs', 'events.db']));
  } finally {
    await storage.close();
  }
  // What is closed can be opened again.
  await (await openStorage(settings)).close();
  await rm(dataFolder, { recursive: true });
});

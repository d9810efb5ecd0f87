import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteViewsReader, SqliteViewsWriter } from '#read-side/views';
import { readModelsContract } from './read-models.contract.ts';

readModelsContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-views-'));
  const path = join(folder, 'views.db');
  return {
    async open(tables) {
      const writer = SqliteViewsWriter.open({ path, tables });
      const reader = SqliteViewsReader.open({ path, cacheBytes: 0 });
      const close = async () => {
        await reader.close();
        await writer.close();
      };
      return { writer, reader, close };
    },
    remove: () => rm(folder, { recursive: true }),
  };
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cutsContract } from '../../cuts.contract.ts';
import { formerUnitsContract } from '../../former-units.contract.ts';
import { memoriesContract } from '../../memories.contract.ts';
import { pastContract } from '../../past.contract.ts';
import { pastTagsContract } from '../../past-tags.contract.ts';
import { repeatsContract } from '../../repeats.contract.ts';
import { SHELVES, SPACE } from '../../testing.ts';
import { viewsContract } from '../../views.contract.ts';
import { SqliteViewsReader } from './reader.ts';
import { SqliteViewsWriter } from './writer.ts';

for (const [name, cacheBytes] of [
  ['SQLite, all resident', 2 ** 28],
  ['SQLite, nothing resident', 0],
] as const) {
  const open = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-views-'));
    const path = join(folder, 'views.db');
    const writer = SqliteViewsWriter.open({ path, space: SPACE, tables: [SHELVES] });
    const reader = SqliteViewsReader.open({ path, cacheBytes });
    const close = async () => {
      await reader.close();
      await writer.close();
      await rm(folder, { recursive: true });
    };
    return { writer, reader, close };
  };
  viewsContract(name, open);
  memoriesContract(name, open);
  cutsContract(name, open);
  pastContract(name, open);
  formerUnitsContract(name, open);
  pastTagsContract(name, open);
  repeatsContract(name, open);
}

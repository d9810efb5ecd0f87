import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useStoreContract } from '../../use-store.contract.ts';
import { DiskUses } from './disk-uses.ts';

describe('DiskUses', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-key-uses-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const open = () => new DiskUses(join(folder, 'key-uses.json'));

  useStoreContract(async () => open());

  it('a damaged file holds nothing, and is replaced', async () => {
    await writeFile(join(folder, 'key-uses.json'), '{"k1":');
    expect(await open().read(['k1'])).toEqual(new Map());
    await open().write(new Map([['k1', 60_000]]));
    expect(await open().read(['k1'])).toEqual(new Map([['k1', 60_000]]));
  });
});

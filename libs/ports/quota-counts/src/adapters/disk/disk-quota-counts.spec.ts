import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quotaCountsContract } from '../../quota-counts.contract.ts';
import { DiskQuotaCounts } from './disk-quota-counts.ts';

describe('DiskQuotaCounts', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-quotas-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const open = () => new DiskQuotaCounts(join(folder, 'quotas.json'));

  quotaCountsContract(async () => open());

  it('a damaged file holds nothing, and is replaced', async () => {
    await writeFile(join(folder, 'quotas.json'), '{"adds":');
    expect(await open().read('adds')).toBeNull();
    await open().write('adds', { used: 1 }, 0);
    expect(await open().read('adds')).toEqual({ value: { used: 1 }, revision: 1 });
  });
});

import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { secretStoreContract } from '../../secret-store.contract.ts';
import { SqliteSecrets } from './sqlite-secrets.ts';

describe('SqliteSecrets', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-secrets-'));
    path = join(folder, 'secrets.db');
  });
  afterEach(() => rm(folder, { recursive: true }));

  secretStoreContract({
    open: () => new SqliteSecrets(path),
    async isOnDisk(bytes) {
      const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
      return files.some((content) => content.includes(Buffer.from(bytes)));
    },
    soon: async (check) => void (await until(check)),
  });

  it('an installation without secrets has no file of them', async () => {
    const store = new SqliteSecrets(path);
    expect(await store.list(null)).toEqual([]);
    await store.removeAll('org');
    await store.close();
    expect(existsSync(path)).toBe(false);
  });

  it('a damaged file is named, with what to do', async () => {
    await writeFile(path, 'no database'.repeat(1_000));
    const store = new SqliteSecrets(path);
    await expect(store.list(null)).rejects.toThrow(/secrets\.db is damaged.*Remove it/);
    await store.close();
  });
});

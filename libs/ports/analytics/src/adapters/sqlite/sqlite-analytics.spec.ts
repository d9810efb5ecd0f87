import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyDatabaseFile } from '#platform/sqlite';
import { analyticsStoreContract, retainedNumberContract } from '../../analytics-store.contract.ts';
import { SqliteAnalytics } from './sqlite-analytics.ts';

describe('SqliteAnalytics', () => {
  let folder: string;
  let store: SqliteAnalytics;
  const path = () => join(folder, 'analytics.db');
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-analytics-'));
    store = await SqliteAnalytics.open(path());
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  analyticsStoreContract(() => store);
  retainedNumberContract(() => store);

  it('a copy that is made while the file is in use holds what was written', async () => {
    const at = 20_000 * 86_400_000;
    const figures = { count: 1, milliseconds: 1, last: at, durations: [0, 1] };
    const period = {
      id: 'p1',
      organization: 'o',
      grain: 'hour',
      at,
      types: {},
      keys: { k1: figures },
      hours: {},
    } as const;
    await store.write([], [period]);
    const { signal } = new AbortController();
    const copy = join(folder, 'copy.db');
    expect(await copyDatabaseFile(path(), copy, signal)).toBe(true);
    const opened = await SqliteAnalytics.open(copy);
    expect(await opened.periods('o', [{ grain: 'hour', from: at, to: at + 1 }])).toEqual([period]);
    await opened.close();
    expect(await copyDatabaseFile(join(folder, 'none.db'), join(folder, 'other.db'), signal)).toBe(false);
  });

  it('a damaged file is named, with what to do', async () => {
    const damaged = join(folder, 'damaged.db');
    await writeFile(damaged, 'not a database, but long enough to be read as one'.repeat(200));
    await expect(SqliteAnalytics.open(damaged)).rejects.toThrow(
      /damaged\.db is damaged: .*Delete it while no server runs/,
    );
  });
});

import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from './open-storage.ts';

let dataFolder: string;
const warnings: string[] = [];
const open = () => openStorage(settingsOf(dataFolder), (message) => warnings.push(message));

beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'mneme-engines-'));
  warnings.length = 0;
});
afterEach(() => rm(dataFolder, { recursive: true }));

const settingsOf = (dataFolder: string) => ({
  ...{ dataFolder, cacheBytes: 0, prefix: 'mneme' },
  ...{ eventStoreUrl: null, natsUrl: null, openSearchUrl: null },
});

test('embedded engines keep their folder to themselves, and give it back', async () => {
  const storage = await open();
  try {
    expect(storage.nats).toBeNull();
    await expect(open()).rejects.toMatchObject({ name: 'DataFolderInUseError' });
    expect(await readdir(dataFolder)).toEqual(expect.arrayContaining(['blobs', 'events.db']));
  } finally {
    await storage.close();
  }
  // What is closed can be opened again.
  await (await open()).close();
  expect(warnings).toEqual([]);
});

describe('a data folder that others could read', () => {
  const modeOf = async (...path: string[]) => ((await stat(join(dataFolder, ...path))).mode & 0o777).toString(8);

  /** Returns the entries that are open to others. */
  async function openEntries(): Promise<string[]> {
    const names = await readdir(dataFolder, { recursive: true });
    const modes = await Promise.all(names.map((name) => modeOf(name)));
    return names.filter((_, i) => !modes[i]?.endsWith('00'));
  }

  beforeEach(async () => {
    process.umask(0o022);
    await chmod(dataFolder, 0o755);
    await mkdir(join(dataFolder, 'blobs', 'org', 'document'), { recursive: true });
    await writeFile(join(dataFolder, 'blobs', 'org', 'document', 'text'), 'secret');
    await writeFile(join(dataFolder, 'owner.key'), 'secret');
  });

  test('is narrowed with a warning, together with its files', async () => {
    await (await open()).close();
    expect(await modeOf()).toBe('700');
    expect(await openEntries()).toEqual([]);
    expect(await modeOf('owner.key')).toBe('600');
    expect(warnings).toEqual([expect.stringContaining('was open to other users (0755). It is private now (0700).')]);
    await (await open()).close();
    expect(warnings).toHaveLength(1);
  });

  test('gets private files only, and what is not of Mneme stays as it is', async () => {
    await writeFile(join(dataFolder, 'notes.txt'), 'of the operator', { mode: 0o644 });
    await mkdir(join(dataFolder, 'models-elsewhere'));
    await symlink(join(dataFolder, 'models-elsewhere'), join(dataFolder, 'models'));
    const storage = await open();
    try {
      await storage.blobs.put('org/document/more', Buffer.from('secret'));
      await storage.vectors.put('owner', []);
      expect((await openEntries()).sort()).toEqual(['models', 'models-elsewhere', 'notes.txt']);
    } finally {
      await storage.close();
    }
  });
});

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

describe('a data folder without its event log', () => {
  const refusal = (...left: readonly string[]) => ({
    code: 'event_log_missing',
    message:
      `The event log ${join(dataFolder, 'events.db')} is missing, to which ` +
      `${left.map((name) => join(dataFolder, name)).join(' and ')} belong. Restore it from a backup, or move what is left ` +
      'away to begin with an empty log.',
  });

  test('is refused while it holds blobs or views, and not changed', async () => {
    const storage = await open();
    await storage.blobs.put('org/document/text', Buffer.from('text'));
    await storage.close();
    await writeFile(join(dataFolder, 'views.db'), '');
    for (const name of await readdir(dataFolder)) {
      if (name.startsWith('events.db')) await rm(join(dataFolder, name));
    }
    await expect(open()).rejects.toMatchObject(refusal('blobs', 'views.db'));
    await rm(join(dataFolder, 'views.db'));
    await expect(open()).rejects.toMatchObject(refusal('blobs'));
    expect(await readdir(dataFolder)).not.toContain('events.db');
    await rm(join(dataFolder, 'blobs'), { recursive: true });
    await writeFile(join(dataFolder, 'views.db'), '');
    await expect(open()).rejects.toMatchObject(refusal('views.db'));
  });

  test('gets a new one if it holds neither, such as a folder that was made for a volume', async () => {
    await mkdir(join(dataFolder, 'blobs', 'lost+found'), { recursive: true });
    await (await open()).close();
    expect(await readdir(dataFolder)).toContain('events.db');
  });
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
    for (const name of ['owner.key', 'events.db']) await writeFile(join(dataFolder, name), '');
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

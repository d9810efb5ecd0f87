import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import type { Source } from '../../connector.ts';
import { sourceContract } from '../../source.contract.ts';
import { toolsFor } from '../../testing/connector-tools.ts';
import { idsOf, listAll, readItem } from '../../testing/read-source.ts';
import { folder } from './folder.ts';

let base: string;
let root: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'mneme-folder-'));
  root = join(base, 'notes');
  await mkdir(root);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const write = async (files: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
};
const settings = (more: object = {}) => ({ MNEME_FOLDERS: JSON.stringify([{ name: 'notes', path: root, ...more }]) });
const open = async (metadata: { readonly path?: string } = {}, lines: string[] = []): Promise<Source> => {
  const connector = folder(toolsFor(settings(), lines));
  const setup = connector.readSetup({ folder: 'notes', ...metadata }, 'o1');
  if (!setup.ok) throw new Error(setup.error.message);
  return connector.open({
    ...{ connection: 'c1', organization: 'o1', setup: setup.value.setup },
    secrets: { get: async () => null, put: async () => undefined },
  });
};

describe('the contract', () => {
  sourceContract(async () => ({
    open: () => open(),
    put: (name, text) => write({ [`${name}.md`]: text }),
    remove: (name) => rm(join(root, `${name}.md`)),
    lose: () => rename(root, join(base, 'away')),
    close: async () => undefined,
  }));
});

test('files are listed with what describes them, and read', async () => {
  await write({ 'a.md': 'one', 'sub/b c.txt': 'two', 'sub/deep/ä.md': '' });
  await utimes(join(root, 'a.md'), new Date(0), new Date('2026-01-02T03:04:05Z'));
  const source = await open();
  const listed = await listAll(source);
  expect(idsOf(listed)).toEqual(['a.md', 'sub/b c.txt', 'sub/deep/ä.md']);
  expect(listed.ends.listing).toBe('complete');
  expect(listed.items[0]).toMatchObject({
    ...{ path: '/a.md', title: 'a.md', size: 3, contentType: null, link: null, owner: null, createdAt: null },
    updatedAt: '2026-01-02T03:04:05.000Z',
  });
  expect(await Promise.all(listed.items.map((item) => readItem(source, item)))).toEqual(['one', 'two', '']);
});

test('a connection may begin below the entry, and paths still begin at the entry', async () => {
  await write({ 'a.md': 'one', 'sub/b.md': 'two' });
  const { items } = await listAll(await open({ path: '/sub/' }));
  expect(items.map(({ id, path }) => ({ id, path }))).toEqual([{ id: 'b.md', path: '/sub/b.md' }]);
});

test('a version changes with the content, also where size and time of change are put back', async () => {
  await write({ 'a.md': 'one', 'b.md': 'same' });
  const source = await open();
  const before = await listAll(source);
  expect(await listAll(source)).toEqual(before);
  await write({ 'a.md': 'two' });
  const [item] = before.items;
  await utimes(join(root, 'a.md'), new Date(), new Date(item?.updatedAt as string));
  const after = await listAll(source);
  expect(after.items[0]?.version).not.toBe(item?.version);
  expect(after.items[1]?.version).toBe(before.items[1]?.version);
});

test('links are not followed, and what is neither file nor folder is skipped', async () => {
  await write({ 'a.md': 'one' });
  await writeFile(join(base, 'secret'), 'secret');
  await mkdir(join(base, 'other'));
  await writeFile(join(base, 'other', 'secret.md'), 'secret');
  await symlink(join(base, 'secret'), join(root, 'link.md'));
  await symlink(join(base, 'other'), join(root, 'linked'));
  await symlink(root, join(root, 'loop'));
  execFileSync('mkfifo', [join(root, 'pipe.md')]);
  const source = await open();
  const { items } = await listAll(source);
  expect(items.map(({ id }) => id)).toEqual(['a.md']);
  const as = (id: string) => readItem(source, { ...(items[0] as (typeof items)[0]), id });
  for (const id of ['link.md', 'linked/secret.md', '../secret', 'pipe.md', 'loop/a.md', '.', 'a.md/b']) {
    await expect(as(id)).rejects.toMatchObject({ code: 'item_unreadable' });
  }
  await expect(listAll(await open({ path: 'linked' }))).rejects.toMatchObject({ code: 'source_lost' });
});

test('rules of .gitignore and .mnemeignore leave out, the nearest and last first; hidden files need one that takes them', async () => {
  await write({
    '.gitignore': '*.log\n/build/\nnode_modules\n',
    '.mnemeignore': '!keep.log\n!.github\n',
    ...{ 'a.md': '', 'a.log': '', 'keep.log': '', 'build/x.md': '', 'sub/build/y.md': '', 'A.LOG': '' },
    ...{ 'sub/node_modules/z.md': '', '.env': '', '.git/config': '', '.github/c.md': '', '.github/.d': '' },
    'sub/.mnemeignore': '/b.md\n!*.log\n',
    ...{ 'sub/b.md': '', 'sub/c.log': '', 'sub/in/b.md': '' },
  });
  expect(idsOf(await listAll(await open()))).toEqual([
    ...['.github/c.md', 'A.LOG', 'a.md', 'keep.log', 'sub/build/y.md', 'sub/c.log', 'sub/in/b.md'],
  ]);
});

test('a root that is missing, or empty and another than before, is lost', async () => {
  await write({ 'a.md': 'one' });
  const source = await open();
  const { ends, items } = await listAll(source);
  await rename(root, join(base, 'away'));
  await expect(listAll(source, ends.cursor)).rejects.toMatchObject({ code: 'source_lost' });
  await expect(readItem(source, items[0] as (typeof items)[0])).rejects.toMatchObject({ code: 'source_lost' });
  await mkdir(root);
  await expect(listAll(source, ends.cursor)).rejects.toThrow(
    'notes is another one than before, and empty. Is it mounted?',
  );
  await rm(root, { recursive: true });
  await rename(join(base, 'away'), root);
  await rm(join(root, 'a.md'));
  expect(await listAll(source, ends.cursor)).toMatchObject({ items: [], ends: { listing: 'complete' } });
});

test('a folder that can no longer be read removes nothing', async () => {
  await write({ 'a.md': 'one', 'sub/b.md': 'two', 'sub/.mnemeignore': '' });
  const lines: string[] = [];
  const source = await open({}, lines);
  const { ends } = await listAll(source);
  // Rules that can't be read could hide everything; the tests may run as root, who may read all.
  await write({ 'sub/.mnemeignore': '#'.repeat(2_000_000) });
  chmodSync(join(root, 'sub'), 0o000);
  const partly = await listAll(source, ends.cursor);
  chmodSync(join(root, 'sub'), 0o700);
  expect([idsOf(partly), partly.ends.listing]).toEqual([['a.md'], 'changes']);
  expect((await listAll(source, partly.ends.cursor)).ends.listing).toBe('changes');
  expect(lines[0]).toBe('notes/sub cannot be read. Nothing is removed meanwhile.');
  // What never could be read has nothing that could be removed.
  const fresh = await listAll(source);
  expect(fresh.ends.listing).toBe('complete');
  expect((await listAll(source, fresh.ends.cursor)).ends.listing).toBe('complete');
  await write({ 'sub/.mnemeignore': '' });
  expect(idsOf(await listAll(source, fresh.ends.cursor))).toEqual(['a.md', 'sub/b.md']);
});

test('a file that changes while it is read, or is gone, cannot be read', async () => {
  await write({ 'a.md': 'x'.repeat(300_000) });
  const source = await open();
  const [item] = (await listAll(source)).items;
  if (item === undefined) throw new Error('nothing is listed');
  const reading = source.fetch(
    item,
    async (content) => {
      if ('text' in content) throw new Error('not a stream');
      let length = 0;
      for await (const piece of content.body) {
        if (length === 0) appendFileSync(join(root, 'a.md'), 'more');
        length += piece.length;
      }
      return length;
    },
    new AbortController().signal,
  );
  await expect(reading).rejects.toThrow('It was changed while it was read.');
  expect(await readItem(source, item)).toHaveLength(300_004);
  await rm(join(root, 'a.md'));
  await expect(readItem(source, item)).rejects.toMatchObject({ code: 'item_unreadable' });
});

test('changes are told soon, until the signal aborts', async () => {
  await write({ 'a.md': 'one' });
  const source = await open();
  let changes = 0;
  const end = new AbortController();
  const watching = source.watch?.(() => {
    changes += 1;
  }, end.signal);
  let edits = 0;
  await until(async () => {
    // Watching begins some time after the call.
    edits += 1;
    await write({ 'sub/b.md': `${edits}` });
    return changes > 0;
  });
  end.abort();
  await watching;
});

test('a listing that is cut ends', async () => {
  await write({ 'a.md': 'one' });
  const source = await open();
  const pages = source.list(null, AbortSignal.abort(new Error('enough')));
  await expect((async () => Array.fromAsync(pages))()).rejects.toThrow('enough');
});

describe('a setup', () => {
  const read = (metadata: object, more?: object, organization = 'o1') =>
    folder(toolsFor(settings(more))).readSetup(metadata as never, organization);

  test('names an entry and a path below it', () => {
    expect(read({ folder: 'notes', path: 'a/b' })).toEqual({
      ok: true,
      value: { setup: { entry: 'notes', path: 'a/b' }, secrets: {} },
    });
    expect(read({ folder: 'notes', path: null })).toMatchObject({ value: { setup: { path: '' } } });
  });

  test.each(['..', 'a/../..', '/..', 'a//b', './a', 'a\\..\\b', 'a\0b', 5])('with the path %j is refused', (path) => {
    expect(read({ folder: 'notes', path })).toMatchObject({ ok: false, error: { field: 'path' } });
  });

  test('of an entry that is unknown, or of another organization, is refused alike', () => {
    const refused = { ok: false, error: { field: 'folder' } };
    expect(read({ folder: 'other' })).toMatchObject(refused);
    expect(read({ folder: '/etc' })).toMatchObject(refused);
    expect(read({})).toMatchObject(refused);
    const foreign = read({ folder: 'notes' }, { organizations: ['o2'] });
    expect(foreign).toMatchObject(refused);
    expect(JSON.stringify(foreign)).not.toContain('notes');
    expect(read({ folder: 'notes' }, { organizations: ['o2'] }, 'o2').ok).toBe(true);
  });

  test('that the operator has closed since is lost', async () => {
    const connector = folder(toolsFor({}));
    const setup = { entry: 'notes', path: '' };
    const secrets = { get: async () => null, put: async () => undefined };
    const opening = connector.open({ connection: 'c1', organization: 'o1', setup, secrets });
    await expect(opening).rejects.toMatchObject({ code: 'source_lost' });
  });
});

test('it is missing without folders, and on engines that processes share', () => {
  expect(folder(toolsFor(settings())).missing).toBeNull();
  expect(folder(toolsFor({})).missing).toContain('MNEME_FOLDERS');
  expect(folder(toolsFor({ ...settings(), MNEME_NATS_URL: 'nats://127.0.0.1:4222' })).missing).toContain('embedded');
});

import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandResult, runMneme } from './support/command.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** `mneme backup --sealed` of a server in use, and its restore. */

let root: string;
let server: Mneme;
const data = () => join(root, 'data');
const backup = () => join(root, 'backup');
const restored = () => join(root, 'restored');
const WORDS = 'okapi';
const LONG = `A tapir. ${'It is a long walk home. '.repeat(3_000)}`;
let ids: readonly string[];
let made: CommandResult;

const cli = (folder: string, args: readonly string[], env: object = {}): Promise<CommandResult> =>
  runMneme(args, { folder, env: { MNEME_EMBEDDING: 'off', ...env } });

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'mneme-sealed-'));
  server = await Mneme.start({ folder: data() });
  const form = new FormData();
  form.append('file', new Blob([`${WORDS} in a file`], { type: 'text/plain' }), 'a.txt');
  ids = [
    await server.addAndWait(`The ${WORDS} hides.`, { customId: 'first', containerTag: 'zoo' }),
    await server.addAndWait(LONG),
    (await server.request('POST', '/v3/documents/file', form)).body.id as string,
  ];
  for (const id of ids) await server.settled(id);
  made = await cli(data(), ['backup', backup(), '--sealed']);
});
afterAll(async () => {
  await server?.stop();
  await rm(root, { recursive: true });
});
afterEach(() => rm(restored(), { recursive: true, force: true }));

const filesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const restore = (env: object = {}, folder = backup()) => cli(restored(), ['restore', folder], env);
const withKey = () => ({ MNEME_MASTER_KEY_FILE: join(data(), 'master.key') });

test('the command says where the only key is; nothing lies in the folder in clear, and no key', async () => {
  expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^Backup complete: \d+ files/) });
  expect(made.err).toMatch(/only with the key [0-9a-f]{8} in .*master\.key, which is not in the backup\.\nKeep a copy/);
  const key = (await readFile(join(data(), 'master.key'), 'utf8')).trim();
  const files = await filesIn(backup());
  expect(files.length).toBeGreaterThan(4);
  for (const file of files) {
    const content = await readFile(file);
    expect(content.subarray(0, 14).toString()).toBe('mneme-sealed-1');
    for (const text of [WORDS, 'long walk home', 'SQLite format', key]) expect(content.includes(text)).toBe(false);
    expect(content.includes(Buffer.from(key, 'base64'))).toBe(false);
    expect(file.slice(backup().length)).toMatch(/^\/(manifest\.sealed|files\/[0-9a-f]{2}\/[0-9a-f]{62})$/);
  }
  const left = await filesIn(join(data(), 'scratch'));
  expect(left.filter((file) => /\.(db|draft)/.test(file))).toEqual([]);
});

test('it is restored with the key: every document is equal and found', async () => {
  await mkdir(restored(), { mode: 0o700 });
  await copyFile(join(data(), 'master.key'), join(restored(), 'master.key'));
  expect(await restore()).toMatchObject({ code: 0, out: expect.stringMatching(/^Restored/) });
  const copy = await Mneme.start({ folder: restored() });
  try {
    for (const id of ids) {
      const [before, after] = [await server.settled(id), await copy.settled(id)];
      expect(after).toMatchObject({ status: 'done', content: before.content, customId: before.customId });
    }
    const found = await eventually(async () => {
      const { body } = await copy.post<{ results?: unknown[] }>('/v3/search', { q: WORDS });
      return body.results?.length === 2 ? body.results : null;
    });
    expect(found).toHaveLength(2);
  } finally {
    await copy.stop();
  }
});

test('without the key it is refused with one sentence, and nothing is written', async () => {
  for (const env of [{}, { MNEME_MASTER_KEY: Buffer.alloc(32, 7).toString('hex') }]) {
    const refused = await restore(env);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(
      /^The backup is sealed with the key [0-9a-f]{8}, which is not in .*: set MNEME_MASTER_KEY/,
    );
    expect(await readdir(restored()).catch(() => [])).toEqual([]);
  }
});

test.each<[string, (file: string) => Promise<void>]>([
  ['a cut file', async (file) => truncate(file, (await stat(file)).size - 1)],
  ['an emptied file', (file) => writeFile(file, '')],
  ['a missing file', (file) => rm(file)],
  [
    'a changed byte',
    async (file) => {
      const content = await readFile(file);
      await writeFile(file, content.fill((content.at(-1) ?? 0) ^ 1, content.length - 1));
    },
  ],
])('a backup with %s is refused before anything is written', async (_, damage) => {
  const damaged = join(root, 'damaged');
  for (const victim of [0, 1, 2].map((n) => (files: readonly string[]) => files.at(n * 2) as string)) {
    await cp(backup(), damaged, { recursive: true });
    await damage(victim((await filesIn(damaged)).toSorted()));
    const refused = await restore(withKey(), damaged);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/The backup is damaged: \S+ (is missing|has changed)\.|manifest\.sealed is damaged/);
    expect((await readdir(restored()).catch(() => [])).filter((name) => !name.startsWith('lock'))).toEqual([]);
    await rm(damaged, { recursive: true });
  }
});

test('a file in the place of another is refused', async () => {
  const damaged = join(root, 'damaged');
  await cp(backup(), damaged, { recursive: true });
  const [one, other] = (await filesIn(join(damaged, 'files'))).toSorted() as [string, string];
  await copyFile(one, other);
  expect((await restore(withKey(), damaged)).err).toMatch(/The backup is damaged: \S+ has changed\./);
  // Without its manifest it is no backup.
  await rm(join(damaged, 'manifest.sealed'));
  expect((await restore(withKey(), damaged)).err).toMatch(/holds no complete backup/);
  await rm(damaged, { recursive: true });
});

test('a key of the setting seals too, and former keys still open', async () => {
  const [former, newest] = [1, 2].map((n) => Buffer.alloc(32, n).toString('base64')) as [string, string];
  const other = join(root, 'other');
  await server.stop();
  const sealed = await cli(data(), ['backup', other, '--sealed'], { MNEME_MASTER_KEY: former });
  expect(sealed).toMatchObject({
    code: 0,
    err: expect.stringMatching(/only with the key [0-9a-f]{8} of MNEME_MASTER_KEY/),
  });
  const opened = await restore({ MNEME_MASTER_KEY: `${newest},${former}` }, other);
  expect(opened).toMatchObject({ code: 0, out: expect.stringMatching(/^Restored/) });
});

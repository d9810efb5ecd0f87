import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyFile } from './key-file.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-key-'));
  path = join(folder, 'master.key');
});
afterEach(() => rm(folder, { recursive: true }));

const keyOf = (n: number) => Buffer.alloc(32, n).toString('base64');
const own = () => new KeyFile({ path, isOwn: true });
const given = () => new KeyFile({ path, isOwn: false });

test('a file is made with the first key that is needed, for its owner only, and keeps the key', async () => {
  const keys = own();
  expect(await keys.check()).toBe(false);
  const made = await Promise.all([keys.newest(), keys.newest()]);
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await own().newest()).id).toBe(made[0].id);
  expect(await readFile(path, 'utf8')).toMatch(/^[\w+/]{43}=\n$/);
});

test('a new key comes before the others, which still open', async () => {
  const keys = own();
  const first = await keys.newest();
  const second = await keys.renew();
  expect((await own().newest()).id).toBe(second?.id);
  expect((await own().named(first.id)).id).toBe(first.id);
  expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(3);
});

test('a file of the operator is read again when it has changed, and never written', async () => {
  await writeFile(path, keyOf(1), { mode: 0o600 });
  const keys = given();
  const first = await keys.newest();
  await writeFile(path, `${keyOf(2)}\n${keyOf(1)}\n`);
  const second = await keys.newest();
  expect(second.id).not.toBe(first.id);
  expect(await keys.has(first.id)).toBe(true);
  expect(await keys.renew()).toBeNull();
  await writeFile(path, `${keyOf(2)}\n`);
  expect(await keys.has(first.id)).toBe(false);
  await expect(given().named(first.id)).rejects.toMatchObject({ code: 'sealed_with_other_key' });
});

test('a file of the operator that is missing is not made', async () => {
  await expect(given().newest()).rejects.toMatchObject({ code: 'master_key_missing' });
});

test.each([0o604, 0o620, 0o644])('a file of mode %o is refused, and the refusal says what to run', async (mode) => {
  await writeFile(path, keyOf(1));
  await chmod(path, mode);
  await expect(given().check()).rejects.toThrow(`The key file ${path} is open to other users. Run: chmod 600 ${path}`);
  await chmod(path, 0o440);
  expect(await given().check()).toBe(true);
});

test.each(['', 'a password', 'ab'.repeat(31), `${keyOf(1)} ${keyOf(2).slice(2)}`])(
  'the content "%s" is refused without being shown',
  async (content) => {
    await writeFile(path, content, { mode: 0o600 });
    const refused = expect(given().check()).rejects;
    await refused.toThrow(`The key in ${path} must be 32 random bytes in base64`);
  },
);

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FixedMasterKeys, KeyFile, type MasterKeys, NoMasterKeys } from '#platform/sealing';
import { SqliteSecrets } from './adapters/sqlite/sqlite-secrets.ts';
import { Secrets } from './secrets.ts';

const clock = { now: () => 1_767_225_600_000 };
const TOKEN = { organization: 'org', name: 'connectors/c1/token' };
const keyOf = (n: number) => Buffer.alloc(32, n).toString('base64');
const keysOf = (...numbers: number[]) => new FixedMasterKeys(numbers.map(keyOf).join(','), 'MNEME_MASTER_KEY');

let folder: string;
let store: SqliteSecrets;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-secrets-'));
  store = new SqliteSecrets(join(folder, 'secrets.db'));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});
const secretsWith = (keys: MasterKeys) => new Secrets(store, keys, clock);

test('a secret is what was put last; nothing readable is stored', async () => {
  const secrets = secretsWith(keysOf(1));
  expect(await secrets.get(TOKEN)).toBeNull();
  await secrets.put(TOKEN, 'first');
  await secrets.put(TOKEN, 'the token of a user ✓');
  expect(await secrets.get(TOKEN)).toBe('the token of a user ✓');
  const [stored] = await store.list(null);
  expect(Buffer.from(stored?.sealed ?? []).includes('token')).toBe(false);
  await secrets.delete(TOKEN);
  expect(await secrets.get(TOKEN)).toBeNull();
});

test('a list has names, dates and keys, of an organization and an owner', async () => {
  const secrets = secretsWith(keysOf(1));
  for (const name of ['connectors/c1/token', 'connectors/c10/token'])
    await secrets.put({ organization: 'org', name }, 'x');
  await secrets.put({ organization: 'other', name: 'connectors/c1/token' }, 'x');
  expect(await secrets.list(null)).toHaveLength(3);
  expect(await secrets.list('org', 'connectors/c1')).toEqual([
    { ...TOKEN, changedAt: clock.now(), key: (await keysOf(1).newest()).id, opens: true },
  ]);
  await secrets.forget('org');
  expect((await secrets.list(null)).map(({ organization }) => organization)).toEqual(['other']);
});

test('a sealed value opens under its own organization and name only', async () => {
  const secrets = secretsWith(keysOf(1));
  await secrets.put(TOKEN, 'x');
  const [stored] = await store.list('org');
  if (stored === undefined) throw new Error('it was put');
  for (const moved of [{ organization: 'other' }, { name: 'connectors/c2/token' }]) {
    await store.write({ ...stored, ...moved });
    await expect(secrets.get({ ...TOKEN, ...moved })).rejects.toMatchObject({ code: 'seal_broken' });
  }
  const altered = Buffer.from(stored.sealed).fill(0, stored.sealed.length - 8);
  await store.write({ ...stored, sealed: altered });
  await expect(secrets.get(TOKEN)).rejects.toMatchObject({ code: 'seal_broken' });
});

test('with another key a secret cannot be read, and can be set again', async () => {
  await secretsWith(keysOf(1)).put(TOKEN, 'x');
  const secrets = secretsWith(keysOf(2));
  await expect(secrets.get(TOKEN)).rejects.toMatchObject({ code: 'sealed_with_other_key' });
  expect(await secrets.list(null)).toMatchObject([{ opens: false }]);
  expect(await secrets.rotate()).toMatchObject({ isNew: false, sealed: 0, left: 1 });
  await secrets.put(TOKEN, 'y');
  expect(await secrets.get(TOKEN)).toBe('y');
});

test('without a key nothing can be put, and the refusal says what to set', async () => {
  await secretsWith(keysOf(1)).put(TOKEN, 'x');
  const secrets = secretsWith(new NoMasterKeys('Set MNEME_MASTER_KEY.'));
  await expect(secrets.put(TOKEN, 'y')).rejects.toThrow('Set MNEME_MASTER_KEY.');
  await expect(secrets.get(TOKEN)).rejects.toMatchObject({ code: 'master_key_missing' });
  expect(await secrets.list(null)).toMatchObject([{ opens: false }]);
});

test('a rotation seals everything with the newest key, which the former one is not needed for', async () => {
  const before = secretsWith(keysOf(1));
  for (let n = 0; n < 5; n += 1) await before.put({ ...TOKEN, name: `connectors/c${n}` }, `value ${n}`);
  const [former] = await store.list(null);
  expect(await secretsWith(keysOf(2, 1)).rotate()).toMatchObject({ isNew: false, sealed: 5, left: 0 });
  // A process that has not heard of the rotation, with the keys in the other order, reads it too.
  for (const keys of [keysOf(2), keysOf(1, 2)]) {
    expect(await secretsWith(keys).get({ ...TOKEN, name: 'connectors/c3' })).toBe('value 3');
  }
  await expect(secretsWith(keysOf(1)).get({ ...TOKEN, name: 'connectors/c3' })).rejects.toThrow(/another key/);
  expect((await store.list(null))[0]?.changedAt).toBe(former?.changedAt);
  expect(await secretsWith(keysOf(2, 1)).rotate()).toMatchObject({ sealed: 0 });
});

test('a rotation with a generated file makes a new key while another process reads', async () => {
  const open = () => secretsWith(new KeyFile({ path: join(folder, 'master.key'), isOwn: true }));
  const [serving, rotating] = [open(), open()];
  await serving.put(TOKEN, 'x');
  const first = await rotating.rotate();
  expect(first).toMatchObject({ isNew: true, sealed: 1, left: 0 });
  expect(await serving.get(TOKEN)).toBe('x');
  await serving.put(TOKEN, 'y');
  expect(await serving.list(null)).toMatchObject([{ key: first.key }]);
  expect(await open().get(TOKEN)).toBe('y');
});

test('a rotation does not undo what is set meanwhile', async () => {
  const before = secretsWith(keysOf(1));
  const names = Array.from({ length: 20 }, (_, n) => ({ organization: 'org', name: `connectors/c${n}` }));
  for (const name of names) await before.put(name, 'former');
  const rotating = secretsWith(keysOf(2, 1));
  await Promise.all([rotating.rotate(), ...names.map((name) => before.put(name, 'newer'))]);
  for (const name of names) expect(await rotating.get(name)).toBe('newer');
});

test.each(['', 'a b', 'a//b', '/a', 'a'.repeat(201)])('the name "%s" is refused', async (name) => {
  await expect(secretsWith(keysOf(1)).put({ organization: 'org', name }, 'x')).rejects.toMatchObject({
    code: 'secret_unsuitable',
  });
});

test('a value has at most 64 KiB', async () => {
  const secrets = secretsWith(keysOf(1));
  await secrets.put(TOKEN, 'x'.repeat(65_536));
  expect(await secrets.get(TOKEN)).toHaveLength(65_536);
  await expect(secrets.put(TOKEN, 'x'.repeat(65_537))).rejects.toThrow('at most 64 KiB');
});

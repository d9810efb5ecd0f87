import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyFile } from '../libs/platform/sealing/src/index.ts';
import { Secrets, SqliteSecrets } from '../libs/ports/secrets/src/index.ts';
import { type CommandResult, runMneme } from './support/command.ts';
import { eventually, INSTALLATION_KEY, Mneme } from './support/mneme.ts';

/** Secrets beside the log, and the master key, as an operator meets them. */

let folder: string;
const servers: Mneme[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-secrets-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  await rm(folder, { recursive: true });
});

const keyFile = () => join(folder, 'master.key');
const keyOf = (n: number) => Buffer.alloc(32, n).toString('base64');

async function start(env: Record<string, string> = {}): Promise<Mneme> {
  const server = await Mneme.start({ folder, env: { MNEME_INSTALLATION_KEY: INSTALLATION_KEY, ...env } });
  servers.push(server);
  return server;
}

const cli = (args: readonly string[], env: object = {}): Promise<CommandResult> =>
  runMneme(args, { folder, env: { MNEME_EMBEDDING: 'off', ...env } });

/** Works on the secrets as a connector does in the server. */
async function withSecrets<T>(work: (secrets: Secrets) => Promise<T>): Promise<T> {
  const keys = new KeyFile({ path: keyFile(), isOwn: true });
  const secrets = new Secrets(new SqliteSecrets(join(folder, 'secrets.db')), keys, { now: () => Date.now() });
  return work(secrets).finally(() => secrets.close());
}

const linesOf = ({ out }: CommandResult) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('an installation without secrets notices nothing: no key, no file', async () => {
  const server = await start();
  expect((await cli(['secrets'])).out).toBe('No secrets are stored.\n');
  expect((await server.get('/v3/health')).body.closedSecrets).toBe(0);
  const doctor = linesOf(await cli(['doctor', '--json']));
  expect(doctor).toContainEqual(expect.objectContaining({ name: 'secrets', state: 'ok', detail: 'none' }));
  await server.stop();
  const names = await readdir(folder);
  expect(names.filter((name) => name.startsWith('secrets') || name.startsWith('master'))).toEqual([]);
});

test('secrets are listed without their values, and sealed again with a new key while the server runs', async () => {
  await start();
  const token = { organization: 'org', name: 'connectors/c1/token' };
  await withSecrets((secrets) => secrets.put(token, 'the value'));
  expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
  const [before] = linesOf(await cli(['secrets', 'list', '--json']));
  expect(before).toMatchObject({ ...token, opens: true, changedAt: expect.stringMatching(/^\d{4}-/) });
  expect(JSON.stringify(before)).not.toContain('the value');
  const rotated = await cli(['secrets', 'rotate']);
  expect(rotated).toMatchObject({
    code: 0,
    out: expect.stringMatching(/is the newest key in .*master\.key\. 1 secrets were sealed again/),
  });
  const [after] = linesOf(await cli(['secrets', 'list', '--json']));
  expect(after).toMatchObject({ opens: true, changedAt: before?.changedAt });
  expect(after?.key).not.toBe(before?.key);
  expect(await withSecrets((secrets) => secrets.get(token))).toBe('the value');
});

test('with a lost key the server runs, and says how many secrets cannot be opened', async () => {
  await withSecrets((secrets) => secrets.put({ organization: 'org', name: 'connectors/c1/token' }, 'x'));
  await rm(keyFile());
  const server = await start();
  const id = await server.addAndWait('The okapi hides.');
  expect((await server.get(`/v3/documents/${id}`)).status).toBe(200);
  const health = await eventually(async () => {
    const { body } = await server.get('/v3/health');
    return body.closedSecrets === 1 ? body : null;
  });
  expect(health.status).toBe('ok');
  const doctor = await cli(['doctor']);
  expect(doctor.code).toBe(0);
  expect(doctor.out).toMatch(/1 stored; 1 of them cannot be opened: they are sealed with another key \([0-9a-f]{8}\)/);
  expect((await cli(['secrets'])).out).toMatch(/key [0-9a-f]{8}, which is not there: sign in again/);
});

test('the deletion of an organization destroys its secrets', async () => {
  const server = await start();
  const asOperator = { authorization: `Bearer ${INSTALLATION_KEY}` };
  const { body } = await server.post<{ id: string }>('/v3/organizations', { name: 'Acme' }, asOperator);
  await withSecrets(async (secrets) => {
    for (const organization of [body.id, 'other']) await secrets.put({ organization, name: 'connectors/c/t' }, 'x');
  });
  await server.request('DELETE', `/v3/organizations/${body.id}`, undefined, asOperator);
  const left = await eventually(async () => {
    const found = await withSecrets((secrets) => secrets.list(null));
    return found.length === 1 ? found : null;
  });
  expect(left).toMatchObject([{ organization: 'other' }]);
});

test.each([
  ['a malformed key', { MNEME_MASTER_KEY: 'a password' }, /MNEME_MASTER_KEY must be 32 random bytes in base64/],
  ['a key file that is missing', { MNEME_MASTER_KEY_FILE: '/nowhere/key' }, /The key file \/nowhere\/key is not there/],
  [
    'a key and a file',
    { MNEME_MASTER_KEY: keyOf(1), MNEME_MASTER_KEY_FILE: '/nowhere/key' },
    /MNEME_MASTER_KEY and MNEME_MASTER_KEY_FILE are both set/,
  ],
])('a start with %s is refused', async (_, env, message) => {
  const refused = await start(env).catch((error: Error) => error);
  expect(String(refused)).toMatch(message);
  expect(String(refused)).not.toMatch(/\n +at /);
});

test('a start with a key file that others may read is refused', async () => {
  const path = join(folder, 'given.key');
  await writeFile(path, keyOf(1));
  await chmod(path, 0o644);
  await expect(start({ MNEME_MASTER_KEY_FILE: path })).rejects.toThrow(/is open to other users\. Run: chmod 600/);
  await chmod(path, 0o600);
  const server = await start({ MNEME_MASTER_KEY_FILE: path });
  expect((await server.get('/v3/health')).status).toBe(200);
  expect(await readFile(path, 'utf8')).toBe(keyOf(1));
});

import { connect, type NatsConnection } from '@nats-io/transport-node';
import { FixedMasterKeys } from '../libs/platform/sealing/src/index.ts';
import { NatsSecrets, Secrets } from '../libs/ports/secrets/src/index.ts';
import { addressOf } from './support/addresses.ts';
import { Cluster } from './support/cluster.ts';
import { eventually, INSTALLATION_KEY, type Mneme } from './support/mneme.ts';

/** Secrets that processes share on NATS. */

const [FORMER, NEWEST] = [1, 2].map((n) => Buffer.alloc(32, n).toString('base64')) as [string, string];
const TOKEN = { organization: 'org', name: 'connectors/c1/token' };
const AS_OPERATOR = { authorization: `Bearer ${INSTALLATION_KEY}` };
const GONE_WITHIN_MS = 180_000;

let cluster: Cluster;
let connection: NatsConnection;
let api: Mneme;
beforeAll(async () => {
  cluster = await Cluster.start({ env: { MNEME_INSTALLATION_KEY: INSTALLATION_KEY } });
  connection = await connect({ servers: addressOf('MNEME_TEST_NATS_URL') });
  // The worker has no key: it needs none to destroy secrets.
  await cluster.start('worker');
  api = await cluster.start('api', { env: { MNEME_MASTER_KEY: FORMER } });
});
afterAll(async () => {
  await connection?.close();
  await cluster?.stop();
});

/** Works on the secrets as a process with these keys does, the newest first. */
const secretsWith = (...keys: string[]) =>
  new Secrets(
    new NatsSecrets({ connection, bucket: `${cluster.prefix}-secrets` }),
    new FixedMasterKeys(keys.join(','), 'MNEME_MASTER_KEY'),
    { now: () => Date.now() },
  );

test('secrets are sealed again while processes with either order of the keys read them', async () => {
  await secretsWith(FORMER).put(TOKEN, 'the value');
  const withoutKey = await cluster.cli('secrets', 'rotate');
  expect(withoutKey).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^Set MNEME_MASTER_KEY or MNEME_MASTER_KEY_FILE/),
  });
  const before = JSON.parse((await cluster.cli('secrets', 'list', '--json')).out);
  expect(before).toMatchObject({ ...TOKEN, opens: false });
  expect(await secretsWith(NEWEST, FORMER).rotate()).toMatchObject({ isNew: false, sealed: 1, left: 0 });
  for (const keys of [[NEWEST], [FORMER, NEWEST]]) expect(await secretsWith(...keys).get(TOKEN)).toBe('the value');
  const after = JSON.parse((await cluster.cli('secrets', 'list', '--json')).out);
  expect(after.key).not.toBe(before.key);
  // A process that has only the former key runs on, and says what it cannot open.
  const closed = await cluster.start('api', { env: { MNEME_MASTER_KEY: FORMER } });
  const health = await eventually(async () => {
    const { body } = await closed.get('/v3/health');
    return body.closedSecrets === 1 ? body : null;
  });
  expect(health.status).toBe('ok');
  expect((await cluster.cli('doctor')).out).toMatch(/1 of them cannot be opened/);
});

test('a process without a key refuses a secret, and changes nothing', async () => {
  const keyless = await cluster.start('api');
  const { status, body } = await keyless.request('PATCH', '/v3/settings', {
    ...{ chunkSize: 100, githubClientSecret: 'x' },
  });
  expect({ status, body }).toMatchObject({ status: 503, body: { error: expect.stringContaining('MNEME_MASTER_KEY') } });
  expect((await keyless.get('/v3/settings')).body).toMatchObject({ chunkSize: null, githubClientSecret: null });
});

test('the deletion of an organization destroys its secrets', async () => {
  const { body } = await api.post<{ id: string }>('/v3/organizations', { name: 'Acme' }, AS_OPERATOR);
  const secrets = secretsWith(FORMER);
  await secrets.put({ organization: body.id, name: 'connectors/c/token' }, 'x');
  await secrets.put(TOKEN, 'y');
  await api.request('DELETE', `/v3/organizations/${body.id}`, undefined, AS_OPERATOR);
  await eventually(async () => ((await secrets.list(body.id)).length === 0 ? true : null), GONE_WITHIN_MS);
  expect(await secrets.get(TOKEN)).toBe('y');
});

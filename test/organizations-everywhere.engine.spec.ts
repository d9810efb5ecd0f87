import { headers as natsHeaders } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { addressOf } from './support/addresses.ts';
import { Cluster } from './support/cluster.ts';
import { untilErased } from './support/erasure.ts';
import { eventually, INSTALLATION_KEY, type Mneme, OWNER_KEY } from './support/mneme.ts';

/** Organizations on several processes: what one process does to them counts in the others, and all of one is erased. */

const GONE_WITHIN_MS = 180_000;

let cluster: Cluster;
let one: Mneme;
let other: Mneme;
let worker: Mneme;
beforeAll(async () => {
  cluster = await Cluster.start({ env: { MNEME_INSTALLATION_KEY: INSTALLATION_KEY } });
  one = await cluster.start('api');
  [other, worker] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
});
afterAll(() => cluster?.stop());

const as = (key: string) => ({ authorization: `Bearer ${key}` });
const session = async (process: Mneme, key: string): Promise<number> =>
  (await process.get('/v3/session', as(key))).status;
const isAnswered = (process: Mneme, key: string, status: number) =>
  eventually(async () => ((await session(process, key)) === status ? true : null));

async function create(name: string): Promise<{ readonly id: string; readonly key: string }> {
  const { status, body } = await one.post<{ id: string; key: string }>(
    '/v3/organizations',
    { name },
    as(INSTALLATION_KEY),
  );
  expect(status).toBe(200);
  await isAnswered(other, body.key, 200);
  return body;
}

async function add(key: string, content: string): Promise<string> {
  const body = { content, customId: 'same', containerTag: 'same' };
  const added = await other.post<{ id: string }>('/v3/documents', body, as(key));
  expect(added.status).toBe(200);
  await eventually(async () => {
    const { body: record } = await one.get(`/v3/documents/${added.body.id}`, as(key));
    return record.status === 'done' ? true : null;
  }, 60_000);
  return added.body.id;
}

const found = async (process: Mneme, key: string): Promise<string> =>
  JSON.stringify((await process.post('/v4/search', { q: 'meadow' }, as(key))).body.results);

async function listed(process: Mneme): Promise<readonly string[]> {
  const { body } = await process.get<{ organizations: { id: string }[] }>('/v3/organizations', as(INSTALLATION_KEY));
  return body.organizations.map(({ id }) => id);
}

test('suspending and resuming count in every process, also over NATS', async () => {
  const { id, key } = await create('Suspended');
  await add(key, 'A stoat lives in the meadow.');
  const nats = await connect({ servers: addressOf('MNEME_TEST_NATS_URL') });
  try {
    const searched = async (secret: string) => {
      const carried = natsHeaders();
      carried.set('Authorization', `Bearer ${secret}`);
      const subject = `${cluster.prefix}.api.search`;
      const answer = await nats.request(subject, JSON.stringify({ q: 'meadow' }), {
        headers: carried,
        timeout: 10_000,
      });
      return { status: Number(answer.headers?.get('Status')), text: JSON.stringify(answer.json()) };
    };
    await eventually(async () => ((await searched(key)).text.includes('stoat') ? true : null), 60_000);
    expect((await searched(OWNER_KEY)).text).not.toContain('stoat');
    expect((await cluster.cli('organizations', 'suspend', id)).code).toBe(0);
    for (const process of [one, other]) await isAnswered(process, key, 403);
    expect(await searched(key)).toMatchObject({ status: 403, text: expect.stringContaining('organization_suspended') });
    expect(await session(one, OWNER_KEY)).toBe(200);
    expect((await cluster.cli('organizations', 'resume', id)).code).toBe(0);
    for (const process of [one, other]) await isAnswered(process, key, 200);
    expect(await found(other, key)).toContain('stoat');
  } finally {
    await nats.close();
  }
});

test('a deletion that loses its worker is finished by another one, and the other organization keeps everything', async () => {
  const [doomed, kept] = [await create('Doomed'), await create('Kept')];
  await add(doomed.key, 'The meadow of the polecat.');
  const same = await add(kept.key, 'The meadow of the weasel.');
  await one.request('DELETE', `/v3/organizations/${doomed.id}`, undefined, as(INSTALLATION_KEY));
  for (const process of [one, other]) await isAnswered(process, doomed.key, 401);
  expect(await listed(one)).toContain(doomed.id);
  await worker.kill('SIGKILL');
  worker = await cluster.start('worker');
  for (const process of [one, other]) {
    await eventually(async () => ((await listed(process)).includes(doomed.id) ? null : true), GONE_WITHIN_MS);
  }
  expect(await session(other, doomed.key)).toBe(401);
  expect(await found(one, kept.key)).toContain('weasel');
  expect((await one.get('/v3/documents/same', as(kept.key))).body).toMatchObject({ id: same, status: 'done' });
  for (const process of [one, other, worker]) await untilErased(process, ['polecat', 'Doomed']);
});

import { Cluster, TcpProxy } from './support/cluster.ts';
import { eventually, type Mneme } from './support/mneme.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
});
afterAll(() => cluster?.stop());

const withKey = (key: string) => ({ authorization: `Bearer ${key}` });
const state = async (process: Mneme, key: string): Promise<number> =>
  (await process.get('/v3/session', withKey(key))).status;

async function createKey(process: Mneme): Promise<{ readonly id: string; readonly key: string }> {
  const { status, body } = await process.post<{ id: string; key: string }>('/v3/auth/keys', { name: 'key' });
  expect(status).toBe(200);
  return body;
}

test('what one process does to a key counts in the others, also on their open event streams', async () => {
  const [one, other] = [await cluster.start('api'), await cluster.start('api')];
  const { id, key } = await createKey(one);
  await eventually(async () => ((await state(other, key)) === 200 ? true : null));
  const stream = await fetch(`${other.url}/v3/events`, { headers: withKey(key) });
  const ended = stream.text();
  await one.request('PATCH', `/v3/auth/keys/${id}`, { enabled: false });
  expect(await state(one, key)).toBe(401);
  await eventually(async () => ((await state(other, key)) === 401 ? true : null));
  await ended;
  await other.request('PATCH', `/v3/auth/keys/${id}`, { enabled: true });
  await eventually(async () => ((await state(one, key)) === 200 ? true : null));

  const { code, out } = await cluster.cli('keys', 'revoke', id, '--json');
  expect([code, JSON.parse(out)]).toEqual([0, { id, revoked: true }]);
  for (const process of [one, other]) await eventually(async () => ((await state(process, key)) === 401 ? true : null));
});

test('a process that is cut off from the log refuses all keys with 503 until it is back', async () => {
  const address = new URL(cluster.log.url);
  const proxy = await TcpProxy.start(cluster.log.url);
  try {
    const one = await cluster.start('api');
    const cut = await cluster.start('api', { env: { MNEME_EVENTSTORE_URL: `${proxy.url}${address.search}` } });
    const { id, key } = await createKey(one);
    await eventually(async () => ((await state(cut, key)) === 200 ? true : null));
    await proxy.cut();
    await one.request('DELETE', `/v3/auth/keys/${id}`);
    await eventually(async () => ((await state(cut, key)) === 503 ? true : null));
    expect((await cut.get('/v3/session')).body).toMatchObject({ code: 'unavailable' });
    expect((await cut.get('/v3/health')).status).toBe(200);
    await proxy.open();
    await eventually(async () => ((await cut.get('/v3/session')).status === 200 ? true : null));
    expect(await state(cut, key)).toBe(401);
  } finally {
    await proxy.cut();
  }
});

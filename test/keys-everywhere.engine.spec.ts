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

test('what one process does to a key counts in the two others, also on their open event streams', async () => {
  const [one, other, third] = [await cluster.start('api'), await cluster.start('api'), await cluster.start('api')];
  const { id, key } = await createKey(one);
  const everywhere = (status: number) =>
    eventually(async () => {
      const states = await Promise.all([one, other, third].map((process) => state(process, key)));
      return states.every((each) => each === status) ? true : null;
    });
  await everywhere(200);
  const streams = await Promise.all(
    [other, third].map((process) => fetch(`${process.url}/v3/events`, { headers: withKey(key) })),
  );
  const ended = streams.map((stream) => stream.text());
  await one.request('PATCH', `/v3/auth/keys/${id}`, { enabled: false });
  expect(await state(one, key)).toBe(401);
  await everywhere(401);
  await Promise.all(ended);
  await other.request('PATCH', `/v3/auth/keys/${id}`, { enabled: true });
  await everywhere(200);

  const { code, out } = await cluster.cli('keys', 'revoke', id, '--json');
  expect([code, JSON.parse(out)]).toEqual([0, { id, revoked: true }]);
  await everywhere(401);
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
    // Clients of tools sign out when they hear that their key is not valid.
    const tools = await cut.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, withKey(key));
    expect([tools.status, tools.headers.get('retry-after'), tools.headers.get('www-authenticate')]).toEqual([
      ...[503, '5', null],
    ]);
    expect((await cut.get('/v3/health')).status).toBe(200);
    await proxy.open();
    await eventually(async () => ((await cut.get('/v3/session')).status === 200 ? true : null));
    expect(await state(cut, key)).toBe(401);
  } finally {
    await proxy.cut();
  }
});

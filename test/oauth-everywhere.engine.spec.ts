import { randomBytes } from 'node:crypto';
import { Cluster } from './support/cluster.ts';
import { eventually, type Mneme, OWNER_KEY } from './support/mneme.ts';
import { Connection, permit, REDIRECT_URI, sendForm } from './support/oauth.ts';
import { Visitor } from './support/visitor.ts';

const ADDRESS = 'https://memory.example';

let cluster: Cluster;
beforeAll(async () => {
  const env = { MNEME_PUBLIC_URL: ADDRESS, MNEME_OAUTH: 'on', MNEME_MASTER_KEY: randomBytes(32).toString('base64') };
  cluster = await Cluster.start({ env });
});
afterAll(() => cluster?.stop());

const statusOf = async (process: Mneme, accessToken: string): Promise<number> => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  return (await process.post('/mcp', list, { authorization: `Bearer ${accessToken}` })).status;
};

test('each step of a connection reaches another process, and its end counts on all of them', async () => {
  const [one, other] = [await cluster.start('api'), await cluster.start('api')];
  const { body: client } = await one.post<{ client_id: string }>('/oauth/register', { redirect_uris: [REDIRECT_URI] });
  const connection = new Connection(ADDRESS, client.client_id);
  const visitor = new Visitor(ADDRESS, other.url);
  const headers = { authorization: `Bearer ${OWNER_KEY}` };
  expect((await visitor.visit('/v3/session', { method: 'POST', headers })).status).toBe(200);
  // At once, although this process hears of the session a moment later.
  visitor.moveTo(one.url);
  const { body: asked } = await connection.asked(visitor);
  visitor.moveTo(other.url);
  const code = (await permit(visitor, asked.request)).searchParams.get('code') as string;
  const { status, body } = await sendForm(one.url, '/oauth/token', connection.exchange(code));
  expect(status).toBe(200);
  // And of the token.
  expect(await statusOf(other, body.access_token)).toBe(200);

  const third = await cluster.start('api');
  const refresh = (process: Mneme, token: string) =>
    sendForm(process.url, '/oauth/token', {
      ...{ grant_type: 'refresh_token', refresh_token: token, client_id: client.client_id },
    });
  const renewed = (await refresh(third, body.refresh_token)).body;
  expect(await Promise.all([one, other, third].map((each) => statusOf(each, renewed.access_token)))).toEqual([
    200, 200, 200,
  ]);
  await eventually(async () => ((await statusOf(other, body.access_token)) === 401 ? true : null));
  // Two processes of the application at the same moment.
  const both = await Promise.all([refresh(one, renewed.refresh_token), refresh(other, renewed.refresh_token)]);
  expect(new Set(both.map((each) => each.body.access_token)).size).toBe(1);
  const { access_token: last, refresh_token: lastRefresh } = both[0].body;
  expect(await statusOf(third, last)).toBe(200);

  expect((await sendForm(other.url, '/oauth/token', connection.exchange(code))).body.error).toBe('invalid_grant');
  const since = performance.now();
  for (const each of [one, other, third]) {
    await eventually(async () => ((await statusOf(each, last)) === 401 ? true : null));
  }
  expect(performance.now() - since).toBeLessThan(10_000);
  expect((await refresh(third, lastRefresh)).body.error).toBe('invalid_grant');
});

test('two processes that exchange one code at the same moment give tokens to nobody', async () => {
  const [one, other] = [await cluster.start('api'), await cluster.start('api')];
  const { body: client } = await one.post<{ client_id: string }>('/oauth/register', { redirect_uris: [REDIRECT_URI] });
  const connection = new Connection(ADDRESS, client.client_id);
  const visitor = new Visitor(ADDRESS, one.url);
  await visitor.visit('/v3/session', { method: 'POST', headers: { authorization: `Bearer ${OWNER_KEY}` } });
  const { body: asked } = await connection.asked(visitor);
  const code = (await permit(visitor, asked.request)).searchParams.get('code') as string;
  const both = await Promise.all(
    [one, other].map(({ url }) => sendForm(url, '/oauth/token', connection.exchange(code))),
  );
  const tokens = both.flatMap(({ status, body }) => (status === 200 ? [String(body.access_token)] : []));
  expect(tokens.length).toBeLessThanOrEqual(1);
  for (const each of [one, other]) {
    for (const token of tokens) await eventually(async () => ((await statusOf(each, token)) === 401 ? true : null));
  }
});

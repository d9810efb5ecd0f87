import { Cluster } from './support/cluster.ts';
import { eventually, type Mneme } from './support/mneme.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
});
afterAll(() => cluster?.stop());

const withKey = (key: string) => ({ authorization: `Bearer ${key}` });
const state = async (process: Mneme, key: string): Promise<number> =>
  (await process.get('/v3/session', withKey(key))).status;

interface Accepted {
  readonly member: { readonly id: string };
  readonly key: string;
}

/** Accepts an invitation as soon as the process knows it. */
const accept = (process: Mneme, token: string): Promise<Accepted> =>
  eventually(async () => {
    const { status, body } = await process.post<Accepted>('/v3/team/invitations/accept', { token });
    return status === 200 ? body : null;
  });

async function invite(process: Mneme, fields: object): Promise<{ readonly id: string; readonly token: string }> {
  const { status, body } = await process.post<{ id: string; token: string }>('/v3/team/invitations', fields);
  expect(status).toBe(200);
  return body;
}

test('what one process does to members and invitations counts in the others, also on their open event streams', async () => {
  const [one, other] = [await cluster.start('api'), await cluster.start('api')];
  const { token } = await invite(one, { email: 'ada@example.com', role: 'admin' });
  const { member, key } = await accept(other, token);
  expect(await state(other, key)).toBe(200);
  await eventually(async () => ((await state(one, key)) === 200 ? true : null));
  expect((await one.post('/v3/team/invitations/accept', { token })).status).toBe(404);

  const stream = await fetch(`${one.url}/v3/events`, { headers: withKey(key) });
  const ended = stream.text();
  const containerTags = [{ containerTag: 'handbook', permission: 'read' }];
  const change = { role: 'member', containerTags };
  expect((await other.request('PATCH', `/v3/team/members/${member.id}`, change)).status).toBe(200);
  await eventually(async () => {
    const { body } = await one.get('/v3/session', withKey(key));
    return body.accessType === 'restricted' ? true : null;
  });
  await ended;

  expect((await one.request('DELETE', `/v3/team/members/${member.id}`)).status).toBe(204);
  expect(await state(one, key)).toBe(401);
  await eventually(async () => ((await state(other, key)) === 401 ? true : null));
  const restarted = await cluster.start('api');
  expect(await state(restarted, key)).toBe(401);
  expect((await restarted.get('/v3/team/members')).body).toEqual({ members: [] });
});

test('one of two owners that two processes remove at the same time stays', async () => {
  const [one, other] = [await cluster.start('api'), await cluster.start('api')];
  const ids: string[] = [];
  for (const email of ['grace@example.com', 'edsger@example.com']) {
    const { token } = await invite(one, { email, role: 'owner' });
    ids.push((await accept(other, token)).member.id);
  }
  const results = await Promise.all(
    [one, other].map((process, i) => process.request('DELETE', `/v3/team/members/${ids[i]}`)),
  );
  expect(results.map(({ status }) => status).sort()).toEqual([204, 409]);
});

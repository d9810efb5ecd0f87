import { Cluster } from './support/cluster.ts';
import { CLIENT, IdentityProvider } from './support/identity-provider.ts';
import { eventually, type Mneme } from './support/mneme.ts';
import { Visitor } from './support/visitor.ts';

const ADDRESS = 'https://memory.example';

let provider: IdentityProvider;
let cluster: Cluster;
beforeAll(async () => {
  provider = await IdentityProvider.start(`${ADDRESS}/v3/session/oidc/callback`);
  const env = { ...CLIENT, MNEME_OIDC_ISSUER: provider.issuer, MNEME_PUBLIC_URL: ADDRESS };
  cluster = await Cluster.start({ env });
});
afterAll(async () => {
  await cluster?.stop();
  await provider?.stop();
});

const asked = async (visitor: Visitor, process: Mneme) => {
  visitor.moveTo(process.url);
  return visitor.visit('/v3/session');
};

test('a person leaves one process for the provider, comes back to another, and is signed in on all of them', async () => {
  const [one, other] = [await cluster.start('api'), await cluster.start('api')];
  provider.people.ada = { email: 'ada@example.com', email_verified: true };
  provider.next = 'ada';
  await one.post('/v3/team/invitations', { email: 'ada@example.com', role: 'admin' });
  const visitor = new Visitor(ADDRESS, one.url);
  const departure = await visitor.visit('/v3/session/oidc', { until: provider.issuer });
  const arrival = await visitor.visit(departure.url, { until: `${ADDRESS}/v3` });
  visitor.moveTo(other.url);
  const invited = async () => {
    const { body } = await other.get<{ invitations: object[] }>('/v3/team/invitations');
    return body.invitations.length > 0 ? true : null;
  };
  await eventually(invited);
  expect((await visitor.visit(arrival.url, { until: `${ADDRESS}/` })).status).toBe(302);
  // At once, although the other process hears of it a moment later.
  const { status, body } = await asked(visitor, one);
  expect([status, body.role]).toEqual([200, 'admin']);

  const member = body.user.id as string;
  const changed = await one.request('PATCH', `/v3/team/members/${member}`, { role: 'member' });
  expect(changed.status).toBe(200);
  const before = visitor.session;
  await eventually(async () => ((await asked(visitor, other)).body.role === 'member' ? true : null));
  expect(visitor.session).not.toBe(before);
  expect((await asked(visitor, one)).body.role).toBe('member');

  const copy = new Visitor(ADDRESS, other.url);
  copy.session = visitor.session;
  expect((await visitor.visit('/v3/session', { method: 'DELETE' })).status).toBe(204);
  await eventually(async () => ((await asked(copy, other)).status === 401 ? true : null));
  const restarted = await cluster.start('api');
  expect((await asked(copy, restarted)).status).toBe(401);
});

test('a session of a key ends on all processes with the key', async () => {
  const [one, other] = [await cluster.start('api'), await cluster.start('api')];
  const { body: key } = await one.post<{ id: string; key: string }>('/v3/auth/keys', { name: 'Desk' });
  const visitor = new Visitor(ADDRESS, one.url);
  const headers = { authorization: `Bearer ${key.key}` };
  expect((await visitor.visit('/v3/session', { method: 'POST', headers })).status).toBe(200);
  await eventually(async () => ((await asked(visitor, other)).status === 200 ? true : null));
  await other.request('DELETE', `/v3/auth/keys/${key.id}`);
  expect((await asked(visitor, other)).status).toBe(401);
  await eventually(async () => ((await asked(visitor, one)).status === 401 ? true : null));
});

import { CLIENT, IdentityProvider } from './support/identity-provider.ts';
import { eventually, INSTALLATION_KEY, Mneme, OWNER_KEY } from './support/mneme.ts';
import { Visitor } from './support/visitor.ts';

const ADDRESS = 'https://memory.example/base';
const CALLBACK = `${ADDRESS}/v3/session/oidc/callback`;
const AS_OPERATOR = { authorization: `Bearer ${INSTALLATION_KEY}` };

let provider: IdentityProvider;
let mneme: Mneme;
/** Of the organization of the first start. */
let home: string;
let harbour: { readonly id: string; readonly key: string };

beforeAll(async () => {
  provider = await IdentityProvider.start(CALLBACK);
  const env = { ...CLIENT, MNEME_OIDC_ISSUER: provider.issuer, MNEME_PUBLIC_URL: ADDRESS };
  mneme = await Mneme.start({ env: { ...env, MNEME_INSTALLATION_KEY: INSTALLATION_KEY } });
  harbour = (await mneme.post<typeof harbour>('/v3/organizations', { name: 'Harbour' }, AS_OPERATOR)).body;
  home = (await mneme.get<{ org: { id: string } }>('/v3/session')).body.org.id;
  mneme = await mneme.restart('SIGTERM', { MNEME_OIDC_DOMAINS: `harbour.example=${harbour.id}` });
});
afterAll(async () => {
  await mneme?.stop();
  await provider?.stop();
});

const browser = () => new Visitor(ADDRESS, mneme.url);

let people = 0;
/** An account at the provider. */
function account(claims: object = {}): { readonly id: string; readonly email: string } {
  people += 1;
  const id = `account-${people}`;
  const email = `person-${people}@example.com`;
  provider.people[id] = { email, email_verified: true, name: `Person ${people}`, ...claims };
  return { id, email };
}

/** Signs in with an account, by all the redirects of a browser. */
async function signIn(id: string | null, visitor = browser(), returnTo = '/v3/session') {
  provider.next = id;
  // Whoever was signed in at the provider before is not any more.
  visitor.cookies.delete(provider.issuer);
  const path = `/v3/session/oidc?returnTo=${encodeURIComponent(returnTo)}`;
  return { visitor, ...(await visitor.visit(path)) };
}

const invite = async (fields: object, key = OWNER_KEY) => {
  const { status, body } = await mneme.post<{ id: string; token: string }>('/v3/team/invitations', fields, {
    authorization: `Bearer ${key}`,
  });
  expect(status).toBe(200);
  return body;
};

/** A member with an account, who is signed in. */
async function member(fields: object = {}) {
  const { id, email } = account();
  const invitation = await invite({ email, ...fields });
  const { visitor } = await signIn(id);
  return { id, email, memberId: invitation.id, visitor };
}

const session = (visitor: Visitor) => visitor.visit('/v3/session');
const audit = async (targetOrActor: string): Promise<readonly string[]> => {
  const { body } = await mneme.get<{ audit: { action: string; actor: string; targetId: string }[] }>(
    '/v3/audit?limit=100',
  );
  return body.audit
    .filter(({ actor, targetId }) => targetId === targetOrActor || actor === targetOrActor)
    .map(({ action }) => action);
};

test('who is invited signs in with a verified address, and is a member from then on', async () => {
  const { id, email } = account();
  const invitation = await invite({ email: email.toUpperCase(), role: 'admin' });
  const { visitor, status, url, body } = await signIn(id);
  expect([status, url]).toEqual([200, `${ADDRESS}/v3/session`]);
  expect(body).toMatchObject({
    user: { id: invitation.id, email: email.toUpperCase(), name: `Person ${people}` },
    ...{ role: 'admin', accessType: 'full', org: { id: home } },
    session: { way: 'oidc', signedInAt: expect.any(String), expiresAt: expect.any(String) },
  });
  // The account identifies the person now, whatever becomes of the address.
  provider.people[id] = { email: 'other@elsewhere.example', email_verified: false };
  expect((await signIn(id)).body.user.id).toBe(invitation.id);
  expect((await visitor.visit('/v3/me')).body).toMatchObject({ userId: invitation.id, role: 'admin' });
  const actions = await eventually(async () => {
    const found = await audit(`member:${invitation.id}`);
    return found.length < 4 ? null : found;
  });
  expect(actions).toEqual(['session.started', 'session.started', 'member.identified', 'member.joined']);
});

test('the cookie is for this server alone, and hidden from scripts', async () => {
  const { id, email } = account();
  await invite({ email });
  const visitor = browser();
  const departure = await visitor.visit('/v3/session/oidc', { until: provider.issuer });
  expect(departure.status).toBe(302);
  expect(departure.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-mneme_sign_in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/),
  ]);
  const asked = new URL(departure.url).searchParams;
  expect(Object.fromEntries(asked)).toMatchObject({
    ...{ redirect_uri: CALLBACK, response_type: 'code', code_challenge_method: 'S256', scope: 'openid email profile' },
    ...{ state: expect.any(String), nonce: expect.any(String), code_challenge: expect.any(String) },
  });
  provider.next = id;
  const arrival = await visitor.visit(departure.url, { until: `${ADDRESS}/v3/session/oidc/callback` });
  const end = await visitor.visit(arrival.url, { until: `${ADDRESS}/` });
  expect(end.headers.getSetCookie()).toEqual([
    '__Host-mneme_sign_in=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
    expect.stringMatching(/^__Host-mneme_session=[\w.-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/),
  ]);
  expect(end.url).toBe(`${ADDRESS}/`);
  // A second time the code is worth nothing.
  expect(await visitor.visit(arrival.url)).toMatchObject({ status: 400, body: { details: 'state' } });
});

test('who has joined by a link signs in with an account of the same address', async () => {
  const { id, email } = account();
  const { token } = await invite({ email });
  const accepted = await mneme.post<{ member: { id: string } }>('/v3/team/invitations/accept', { token });
  expect((await signIn(id)).body.user.id).toBe(accepted.body.member.id);
  // From then on no other account with the address is that member.
  const other = account({ email });
  expect(await signIn(other.id)).toMatchObject({
    ...{ status: 403, body: { message: expect.stringContaining('another account') } },
  });
});

test('a domain of the settings makes members who reach no tag', async () => {
  const { id } = account({ email: 'grace@Harbour.example' });
  const { visitor, body } = await signIn(id);
  expect(body).toMatchObject({
    ...{ org: { id: harbour.id }, role: 'member', accessType: 'restricted', containerTags: [] },
  });
  const search = { q: 'x', containerTag: 'a' };
  expect((await visitor.visit('/v4/search', { method: 'POST', body: search })).status).toBe(403);
  expect((await visitor.visit('/v3/container-tags/list')).body).toEqual([]);
  expect((await visitor.visit('/v3/team/members')).status).toBe(403);
  const withKey = { authorization: `Bearer ${harbour.key}` };
  const tags = [{ containerTag: 'a', permission: 'read' }];
  await mneme.request('PATCH', `/v3/team/members/${body.user.id}`, { containerTags: tags }, withKey);
  expect((await session(visitor)).body.containerTags).toEqual(tags);
  expect((await signIn(id)).body.user.id).toBe(body.user.id);
  expect((await signIn(account({ email: 'x@sub.harbour.example' }).id)).status).toBe(403);
});

test.each([
  ['an address that nobody has invited', {}, 'is not invited'],
  ['an address that is not verified', { email_verified: false }, 'does not confirm'],
  ['an address of which it is not said whether it is verified', { email_verified: undefined }, 'does not confirm'],
  ['no address', { email: undefined, email_verified: undefined }, 'does not confirm'],
])('%s is refused with a sentence, and no member', async (_, claims, sentence) => {
  const { id, email } = account(claims);
  if (sentence !== 'is not invited') await invite({ email });
  const { visitor, status, body } = await signIn(id);
  expect([status, body.code]).toEqual([403, 'forbidden']);
  expect(body.message).toContain(sentence);
  expect(visitor.session).toBeUndefined();
  const { body: list } = await mneme.get<{ members: { email: string }[] }>('/v3/team/members');
  expect(list.members.map((one) => one.email)).not.toContain(email);
});

test('the person may refuse at the provider', async () => {
  const { status, body, visitor } = await signIn(null);
  expect([status, body.message]).toEqual([403, 'The provider has not signed you in']);
  expect(visitor.session).toBeUndefined();
});

describe('a return', () => {
  /** A browser that comes back from the provider next. */
  async function away() {
    const { id, email } = account();
    await invite({ email });
    provider.next = id;
    const visitor = browser();
    const departure = await visitor.visit('/v3/session/oidc', { until: provider.issuer });
    const { url } = await visitor.visit(departure.url, { until: CALLBACK });
    return { id, visitor, url: new URL(url) };
  }

  test('with another state is refused', async () => {
    const { visitor, url } = await away();
    url.searchParams.set('state', 'another');
    expect(await visitor.visit(url.href)).toMatchObject({ status: 400, body: { details: 'state' } });
    expect(visitor.session).toBeUndefined();
  });

  test('in another browser is refused', async () => {
    const { url } = await away();
    expect(await browser().visit(url.href)).toMatchObject({ status: 400, body: { details: 'state' } });
  });

  test('with a token that was made for another sign-in is refused, by its nonce', async () => {
    const { id, email } = account();
    await invite({ email });
    provider.next = id;
    const visitor = browser();
    const departure = new URL((await visitor.visit('/v3/session/oidc', { until: provider.issuer })).url);
    departure.searchParams.set('nonce', 'another');
    const { status, body } = await visitor.visit(departure.href);
    expect([status, body.message]).toEqual([403, expect.stringContaining('does not belong to this sign-in')]);
    expect(visitor.session).toBeUndefined();
  });

  test('with the code of another sign-in is refused, for the verifier is of this one', async () => {
    const [one, other] = [await away(), await away()];
    one.url.searchParams.set('code', other.url.searchParams.get('code') as string);
    expect(await one.visitor.visit(one.url.href)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(one.visitor.session).toBeUndefined();
  });

  test('leads to a path of this server only', async () => {
    const { id } = await away();
    expect((await signIn(id, browser(), '/v3/me?x=1')).url).toBe(`${ADDRESS}/v3/me?x=1`);
    for (const path of ['//evil.example', 'https://evil.example', '/\\evil.example', 'v3', '/a b', '/a\r\nx: y']) {
      const { status, body } = await signIn(id, browser(), path);
      expect([path, status, body.details]).toEqual([path, 400, 'returnTo']);
    }
  });
});

test('a person goes on in another organization, and only there where the account is a member', async () => {
  const { visitor, email, id } = await member({ role: 'admin' });
  await invite({ email, role: 'owner' }, harbour.key);
  expect((await session(visitor)).body).toMatchObject({ org: { id: home }, role: 'admin' });
  // The invitation counts with the next sign-in, which leads there.
  const again = await signIn(id, visitor);
  expect(again.body).toMatchObject({ org: { id: harbour.id }, role: 'owner' });
  expect((await visitor.visit('/v3/account/memberships')).body.memberships).toMatchObject([
    { orgId: home, orgName: 'Mneme', role: 'admin' },
    { orgId: harbour.id, orgName: 'Harbour', role: 'owner' },
  ]);
  expect((await session(visitor)).body.memberships).toEqual(
    (await visitor.visit('/v3/account/memberships')).body.memberships,
  );
  const before = visitor.session;
  const change = (orgId: string) => visitor.visit('/v3/session/organization', { method: 'POST', body: { orgId } });
  expect(await change(home)).toMatchObject({ status: 200, body: { org: { id: home } } });
  expect((await session(visitor)).body).toMatchObject({ org: { id: home }, role: 'admin' });
  // The sign-in was then, whatever has happened since.
  expect((await session(visitor)).body.session).toEqual(again.body.session);
  const old = browser();
  old.session = before;
  expect((await session(old)).status).toBe(401);

  const yard = (await mneme.post<{ id: string }>('/v3/organizations', { name: 'Yard' }, AS_OPERATOR)).body;
  for (const orgId of [yard.id, 'nothing']) {
    expect(await change(orgId)).toMatchObject({ status: 404, body: { message: 'Organization not found' } });
  }
  expect(await visitor.visit('/v3/session/organization', { method: 'POST', body: {} })).toMatchObject({
    ...{ status: 400, body: { details: 'orgId' } },
  });

  const suspend = (isSuspended: boolean) =>
    mneme.request('PATCH', `/v3/organizations/${harbour.id}`, { suspended: isSuspended }, AS_OPERATOR);
  expect((await suspend(true)).status).toBe(200);
  expect(await change(harbour.id)).toMatchObject({ status: 403, body: { code: 'organization_suspended' } });
  expect((await signIn(id)).body.org.id).toBe(home);
  await suspend(false);
  expect((await change(harbour.id)).status).toBe(200);
  await suspend(true);
  expect(await session(visitor)).toMatchObject({ status: 403, body: { code: 'organization_suspended' } });
  expect((await change(home)).status).toBe(200);
  await suspend(false);
});

test('who leaves is signed out at once, leaves no account behind, and comes back by a new invitation only', async () => {
  const { visitor, memberId, id, email } = await member();
  const stream = await fetch(`${mneme.url}/v3/events`, {
    headers: { cookie: `__Host-mneme_session=${visitor.session}` },
  });
  expect(stream.status).toBe(200);
  const ended = stream.text();
  expect((await mneme.request('DELETE', `/v3/team/members/${memberId}`)).status).toBe(204);
  await ended;
  expect(await session(visitor)).toMatchObject({ status: 401, body: { message: expect.stringContaining('ended') } });
  const { out } = await mneme.cli('events', 'export', '--types', 'MemberIdentified,MemberJoined,MemberInvited');
  expect(out).toContain(`member-${memberId}`);
  expect(out).not.toContain(`"${id}"`);
  expect(out).not.toContain(email);
  expect((await signIn(id)).status).toBe(403);
  const second = await invite({ email });
  expect((await signIn(id)).body.user.id).toBe(second.id);
});

test('while the provider does not answer, a sign-in is a 503, and everything else goes on', async () => {
  const { visitor } = await member();
  const { port } = provider;
  await provider.stop();
  mneme = await mneme.restart();
  visitor.moveTo(mneme.url);
  expect((await session(visitor)).status).toBe(200);
  const { status, headers, body } = await browser().visit('/v3/session/oidc');
  expect([status, body.message]).toEqual([503, expect.stringContaining('does not answer')]);
  expect(headers.get('retry-after')).toBe('5');
  const known = provider.people;
  provider = await IdentityProvider.start(CALLBACK, port);
  Object.assign(provider.people, known);
  const { id, email } = account();
  await invite({ email });
  expect((await signIn(id)).status).toBe(200);
});

test.each([
  [{ MNEME_OIDC_ISSUER: 'https://id.example', MNEME_OIDC_CLIENT_ID: 'x' }, 'not set: MNEME_OIDC_CLIENT_SECRET'],
  [{ ...CLIENT, MNEME_OIDC_ISSUER: 'https://id.example' }, 'MNEME_OIDC_ISSUER needs MNEME_PUBLIC_URL'],
  [{ MNEME_OIDC_ISSUER: 'http://id.example' }, 'http:// is for loopback addresses only'],
  [{ MNEME_OIDC_DOMAINS: 'example.com=x' }, 'MNEME_OIDC_DOMAINS needs MNEME_OIDC_ISSUER'],
  [
    {
      ...{ ...CLIENT, MNEME_OIDC_ISSUER: 'https://id.example', MNEME_PUBLIC_URL: ADDRESS },
      MNEME_OIDC_DOMAINS: 'example.com=nothing',
    },
    'MNEME_OIDC_DOMAINS gives example.com to the organization nothing, which does not exist',
  ],
  [{ MNEME_TRUSTED_PROXIES: '10.0.0.0/40' }, 'MNEME_TRUSTED_PROXIES must be a list'],
])('a start with %j is refused', async (env, sentence) => {
  await expect(Mneme.start({ env })).rejects.toThrow(sentence);
});

test('without a provider in the settings nobody signs in by one', async () => {
  const plain = await Mneme.start();
  try {
    for (const path of ['/v3/session/oidc', '/v3/session/oidc/callback?code=x&state=y']) {
      expect((await plain.get(path)).status).toBe(404);
    }
  } finally {
    await plain.stop();
  }
});

import { eventually, INSTALLATION_KEY, Mneme, OWNER_KEY } from './support/mneme.ts';
import { Visitor } from './support/visitor.ts';

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start({ env: { MNEME_INSTALLATION_KEY: INSTALLATION_KEY } });
});
afterAll(() => mneme?.stop());

const withKey = (key: string) => ({ authorization: `Bearer ${key}` });
/** Of a person on this machine, without TLS. */
const browser = () => new Visitor(mneme.url, mneme.url);
const session = (visitor: Visitor) => visitor.visit('/v3/session');
const post = (visitor: Visitor, path: string, body: object = {}) => visitor.visit(path, { method: 'POST', body });

/** Signs in with a key. */
async function signIn(key = OWNER_KEY, visitor = browser()): Promise<Visitor> {
  const { status } = await visitor.visit('/v3/session', { method: 'POST', headers: withKey(key) });
  expect(status).toBe(200);
  return visitor;
}

interface Invitation {
  readonly id: string;
  readonly token: string;
}

let people = 0;
const invite = async (fields: object = {}): Promise<Invitation> => {
  people += 1;
  return (await mneme.post<Invitation>('/v3/team/invitations', { email: `p${people}@example.com`, ...fields })).body;
};

/** A member who has accepted the invitation in the browser. */
async function join(fields: object = {}) {
  const { id, token } = await invite(fields);
  const visitor = browser();
  const { status, body } = await post(visitor, '/v3/team/invitations/accept', { token, name: 'Ada', session: true });
  expect([status, body]).toMatchObject([200, { member: { id, name: 'Ada' }, key: null }]);
  return { id, visitor };
}

const issue = async (fields: object) =>
  (await mneme.post<{ id: string; key: string }>('/v3/auth/keys', { name: 'Desk', ...fields })).body;

test('a key is exchanged for a session, which ends by signing out', async () => {
  const visitor = browser();
  const { status, headers, body } = await visitor.visit('/v3/session', { method: 'POST', headers: withKey(OWNER_KEY) });
  const { org } = (await mneme.get<{ org: { id: string } }>('/v3/session')).body;
  expect([status, body]).toEqual([
    200,
    { org, session: { way: 'key', signedInAt: expect.any(String), expiresAt: expect.any(String) } },
  ]);
  const { signedInAt, expiresAt } = body.session;
  expect(Date.parse(expiresAt) - Date.parse(signedInAt)).toBe(30 * 86_400_000);
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(/^mneme_session=[\w.-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/),
  ]);
  expect((await session(visitor)).body).toMatchObject({ role: 'owner', accessType: 'full', session: body.session });
  expect((await post(visitor, '/v3/documents', { content: 'From a page.', containerTag: 'a' })).status).toBe(200);

  const before = visitor.session;
  const out = await visitor.visit('/v3/session', { method: 'DELETE' });
  expect([out.status, out.body]).toEqual([204, '']);
  expect(visitor.session).toBeUndefined();
  const old = browser();
  old.session = before;
  expect(await session(old)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  mneme = await mneme.restart();
  old.moveTo(mneme.url);
  expect((await session(old)).status).toBe(401);
});

test('a session outlives a restart, and the log has neither its secret nor its cookie', async () => {
  const visitor = await signIn();
  const [, secret] = (visitor.session as string).split('.');
  const { origin } = visitor;
  mneme = await mneme.restart();
  visitor.moveTo(mneme.url);
  expect((await session(visitor)).status).toBe(200);
  // The address of the server is another one now, so its pages are, too.
  expect(origin).not.toBe(mneme.url);
  const { out } = await mneme.cli('events', 'export', '--types', 'SessionStarted');
  expect(out).toContain('SessionStarted');
  expect(out).not.toContain(secret);
});

test.each([
  ['no key', {}, 401],
  ['the key of the installation', withKey(INSTALLATION_KEY), 403],
  ['an unknown key', withKey('sm_acme_0123456789012345678901'), 401],
])('%s makes no session', async (_, headers, status) => {
  const visitor = browser();
  expect((await visitor.visit('/v3/session', { method: 'POST', headers })).status).toBe(status);
  expect(visitor.session).toBeUndefined();
});

test('a request with a key has no session to end or to switch, and one with a session no key', async () => {
  expect(await mneme.request('DELETE', '/v3/session')).toMatchObject({ status: 404 });
  expect((await mneme.post('/v3/session/organization', { orgId: 'x' })).status).toBe(404);
  const visitor = await signIn();
  expect(await post(visitor, '/v3/session')).toMatchObject({ status: 400, body: { details: 'Authorization' } });
  expect(await post(visitor, '/v3/session/organization', { orgId: 'x' })).toMatchObject({
    ...{ status: 403, body: { message: expect.stringContaining('OpenID Connect') } },
  });
});

test('whoever changes something names the page that does it', async () => {
  const visitor = await signIn();
  const add = (headers: Record<string, string>) =>
    fetch(`${mneme.url}/v3/documents`, {
      method: 'POST',
      headers: { cookie: `mneme_session=${visitor.session}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ content: 'x' }),
    });
  for (const origin of [undefined, 'https://evil.example', 'null', `${mneme.url}.evil.example`, 'http://127.0.0.1']) {
    const answer = await add(origin === undefined ? {} : { origin });
    const { details } = (await answer.json()) as { details?: string };
    expect([origin, answer.status, details]).toEqual([origin, 403, 'Origin']);
  }
  expect((await add({ origin: mneme.url })).status).toBe(200);
  // A key needs no page.
  expect((await add({ origin: 'https://evil.example', ...withKey(OWNER_KEY) })).status).toBe(200);
  const { token } = await invite();
  const accept = { method: 'POST', body: { token, session: true }, headers: { origin: 'https://evil.example' } };
  expect((await browser().visit('/v3/team/invitations/accept', accept)).status).toBe(403);
  const start = { method: 'POST', headers: { ...withKey(OWNER_KEY), origin: 'https://evil.example' } };
  expect((await browser().visit('/v3/session', start)).status).toBe(403);
  for (const method of ['DELETE', 'PATCH']) {
    const other = { method, headers: { origin: 'https://evil.example' } };
    expect((await visitor.visit(method === 'DELETE' ? '/v3/session' : '/v3/settings', other)).status).toBe(403);
  }
  expect((await visitor.visit('/v3/session', { headers: { origin: 'https://evil.example' } })).status).toBe(200);
});

test('with a public address its pages count, over TLS with a cookie that no neighbour can plant', async () => {
  const env = { MNEME_PUBLIC_URL: 'https://memory.example/base' };
  const other = await Mneme.start({ env });
  try {
    const visitor = new Visitor(env.MNEME_PUBLIC_URL, other.url);
    await signIn(OWNER_KEY, visitor);
    expect((await session(visitor)).status).toBe(200);
    const direct = { cookie: `__Host-mneme_session=${visitor.session}`, 'content-type': 'application/json' };
    const add = (origin: string) =>
      fetch(`${other.url}/v3/documents`, { method: 'POST', headers: { ...direct, origin }, body: '{"content":"x"}' });
    expect((await add(other.url)).status).toBe(403);
    expect((await add('https://memory.example')).status).toBe(200);
    const planted = { cookie: `mneme_session=${visitor.session}`, authorization: '' };
    expect((await other.get('/v3/session', planted)).status).toBe(401);
  } finally {
    await other.stop();
  }
});

test('the cookie counts on no other path than those of the API, and never beside a key', async () => {
  const metered = await Mneme.start({ env: { MNEME_METRICS: 'on' } });
  try {
    const visitor = new Visitor(metered.url, metered.url);
    await signIn(OWNER_KEY, visitor);
    expect((await metered.get('/metrics')).status).toBe(200);
    expect((await visitor.visit('/metrics')).status).toBe(401);
    const wrong = { headers: withKey('sm_acme_0123456789012345678901') };
    expect((await visitor.visit('/v3/session', wrong)).status).toBe(401);
    // Nor is it a key.
    expect((await metered.get('/v3/session', withKey(visitor.session as string))).status).toBe(401);
    expect((await metered.get('/v3/session', withKey(`sm_${visitor.session}`))).status).toBe(401);
  } finally {
    await metered.stop();
  }
});

test('a session permits what its key permits, and ends with it', async () => {
  const containerTag = 'handbook';
  const scoped = await mneme.post<{ id: string; key: string }>('/v3/auth/scoped-key', {
    ...{ containerTag, permission: 'read', name: 'Reader' },
  });
  const reader = await signIn(scoped.body.key);
  expect((await session(reader)).body).toMatchObject({ containerTags: [{ containerTag, permission: 'read' }] });
  expect((await post(reader, '/v3/documents', { content: 'x', containerTag })).status).toBe(403);
  expect((await reader.visit('/v3/settings')).status).toBe(403);
  expect((await reader.visit('/v3/account/memberships')).status).toBe(403);

  const desk = await issue({ permission: 'read' });
  const visitor = await signIn(desk.key);
  expect((await visitor.visit('/v3/settings')).status).toBe(200);
  expect((await post(visitor, '/v3/documents', { content: 'x' })).status).toBe(403);
  const isEnabled = (enabled: boolean) => mneme.request('PATCH', `/v3/auth/keys/${desk.id}`, { enabled });
  await isEnabled(false);
  expect((await session(visitor)).status).toBe(401);
  await isEnabled(true);
  expect((await session(visitor)).status).toBe(200);
  await mneme.request('DELETE', `/v3/auth/keys/${desk.id}`);
  expect((await session(visitor)).status).toBe(401);
});

test('the link of an invitation leads to a session without a key, once', async () => {
  const { id, visitor } = await join({ role: 'admin' });
  expect((await session(visitor)).body).toMatchObject({
    ...{ user: { id, name: 'Ada' }, role: 'admin', session: { way: 'invitation' } },
  });
  const { keys } = (await mneme.get<{ keys: { memberId: string | null }[] }>('/v3/auth/keys')).body;
  expect(keys.map(({ memberId }) => memberId)).not.toContain(id);
  expect((await visitor.visit('/v3/account/memberships')).body.memberships).toHaveLength(1);
  const { token } = await invite();
  const accept = () => post(browser(), '/v3/team/invitations/accept', { token, session: true });
  expect([(await accept()).status, (await accept()).status]).toEqual([200, 404]);

  // What is done in the session is done by the member.
  await visitor.visit('/v3/settings', { method: 'PATCH', body: { shouldLLMFilter: false } });
  const made = await post(visitor, '/v3/auth/keys', { name: 'Made in a session' });
  const { audit } = await eventually(async () => {
    const { body } = await mneme.get<{ audit: { action: string; targetId: string }[] }>(
      `/v3/audit?actor=${encodeURIComponent(`member:${id}`)}`,
    );
    return body.audit.some(({ targetId }) => targetId === made.body.id) ? body : null;
  });
  expect(audit.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['key.created', 'session.started', 'member.joined']),
  );
});

test('a session follows the rights of the member: it gets another cookie, and the former one soon ends', async () => {
  const { id, visitor } = await join({ role: 'admin' });
  const before = visitor.session;
  const former = browser();
  former.session = before;
  expect((await visitor.visit('/v3/team/invitations')).status).toBe(200);
  expect(visitor.session).toBe(before);
  const stream = await fetch(`${mneme.url}/v3/events`, { headers: { cookie: `mneme_session=${before}` } });
  const ended = stream.text();
  const containerTags = [{ containerTag: 'handbook', permission: 'read' }];
  await mneme.request('PATCH', `/v3/team/members/${id}`, { role: 'member', containerTags });
  await ended;
  expect((await visitor.visit('/v3/team/invitations')).status).toBe(403);
  expect(visitor.session).not.toBe(before);
  const [, secret] = (visitor.session as string).split('.');
  expect(before).not.toContain(secret);
  expect((await session(visitor)).body).toMatchObject({ role: 'member', containerTags });
  // A request that was on the way has the rights of now and gets no cookie.
  expect((await session(former)).body).toMatchObject({ role: 'member', containerTags });
  expect(former.session).toBe(before);

  const clock = { NODE_OPTIONS: `--import=${new URL('support/later.ts', import.meta.url).href}` };
  mneme = await mneme.restart('SIGTERM', { ...clock, TEST_AHEAD_MS: '61000' });
  former.moveTo(mneme.url);
  visitor.moveTo(mneme.url);
  expect((await session(former)).status).toBe(401);
  expect((await session(visitor)).status).toBe(200);
  mneme = await mneme.restart('SIGTERM', { NODE_OPTIONS: '', TEST_AHEAD_MS: undefined });
  expect((await mneme.request('DELETE', `/v3/team/members/${id}`)).status).toBe(204);
  visitor.moveTo(mneme.url);
  expect((await session(visitor)).status).toBe(401);
});

test('who signs in again in the same browser leaves no session behind', async () => {
  const visitor = await signIn();
  const before = browser();
  before.session = visitor.session;
  await signIn(OWNER_KEY, visitor);
  expect(visitor.session).not.toBe(before.session);
  expect([(await session(visitor)).status, (await session(before)).status]).toEqual([200, 401]);
});

test('a session ends after twelve hours without a request', async () => {
  const HOUR_MS = 3_600_000;
  const clock = { NODE_OPTIONS: `--import=${new URL('support/later.ts', import.meta.url).href}` };
  const [used, unused] = [await signIn(), await signIn()];
  const later = async (hours: number) => {
    mneme = await mneme.restart('SIGTERM', { ...clock, TEST_AHEAD_MS: String(hours * HOUR_MS) });
    for (const visitor of [used, unused]) visitor.moveTo(mneme.url);
  };
  await later(11.5);
  const first = used.session;
  expect((await session(used)).status).toBe(200);
  expect(used.session).not.toBe(first);
  await later(12.5);
  expect([(await session(used)).status, (await session(unused)).status]).toEqual([200, 401]);
  // The value that was replaced is as old as it is.
  const copy = browser();
  copy.session = first;
  copy.moveTo(mneme.url);
  expect((await session(copy)).status).toBe(401);
  // Nobody makes it younger.
  const [id, secret, minute, signature] = (used.session as string).split('.') as [string, string, string, string];
  const forged = (Number.parseInt(minute, 36) + 60).toString(36);
  copy.session = `${id}.${secret}.${forged}.${signature}`;
  expect((await session(copy)).status).toBe(401);

  mneme = await mneme.restart('SIGTERM', { NODE_OPTIONS: '', TEST_AHEAD_MS: undefined });
});

test('an address that a proxy states counts only if the proxy is trusted', async () => {
  const wrong = withKey('sm_acme_0123456789012345678901');
  const warnings = async (trusted: string) => {
    const env = { MNEME_TRUSTED_PROXIES: trusted, MNEME_LOG_LEVEL: 'warn' };
    const server = await Mneme.start({ env });
    try {
      for (let i = 0; i < 22; i += 1) {
        const headers = { ...wrong, 'x-forwarded-for': '203.0.113.7' };
        expect((await server.get('/v3/session', headers)).status).toBe(401);
      }
      return await eventually(async () => server.output.find((line) => line.includes('wrong key')) ?? null);
    } finally {
      await server.stop();
    }
  };
  expect(await warnings('')).toContain('127.0.0.1');
  expect(await warnings('10.0.0.1')).toContain('127.0.0.1');
  expect(await warnings('10.0.0.1,127.0.0.0/8')).toContain('203.0.113.7');
});

test('a proxy that ends TLS says under which address the pages are, if it is trusted', async () => {
  const stated = {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'memory.example',
    origin: 'https://memory.example',
  };
  const start = async (trusted: string) => {
    const server = await Mneme.start({ env: { MNEME_TRUSTED_PROXIES: trusted } });
    try {
      const { status, headers } = await server.post('/v3/session', undefined, stated);
      return [status, headers.get('set-cookie')];
    } finally {
      await server.stop();
    }
  };
  expect(await start('127.0.0.1')).toEqual([200, expect.stringMatching(/^__Host-mneme_session=.*; Secure$/)]);
  expect(await start('')).toEqual([403, null]);
});

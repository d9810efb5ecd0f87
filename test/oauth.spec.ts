import { ConnectedClient } from './support/connected-client.ts';
import { CLIENT, IdentityProvider } from './support/identity-provider.ts';
import { installMcpClients } from './support/installed-clients.ts';
import { eventually, Mneme, OWNER_KEY } from './support/mneme.ts';
import { Connection, permit, REDIRECT_URI, sendForm } from './support/oauth.ts';
import { openStandIns } from './support/stand-ins.ts';
import { Visitor } from './support/visitor.ts';

const ADDRESS = 'https://memory.example';
const CIMD = 'https://notebook.example/client.json';
const node = await installMcpClients();

let provider: IdentityProvider;
let sites: Awaited<ReturnType<typeof openStandIns>>;
let mneme: Mneme;
/** Of an application that has registered itself. */
let clientId: string;

beforeAll(async () => {
  provider = await IdentityProvider.start(`${ADDRESS}/v3/session/oidc/callback`);
  sites = await openStandIns(['notebook.example', 'www.notebook.example']);
  describeClient(CIMD, {});
  const env = { ...CLIENT, MNEME_OIDC_ISSUER: provider.issuer, MNEME_PUBLIC_URL: ADDRESS, MNEME_OAUTH: 'on' };
  mneme = await Mneme.start({ env: { ...env, ...sites.settings } });
  clientId = (await register({ client_name: 'Notebook', redirect_uris: [REDIRECT_URI] })).body.client_id as string;
});
afterAll(async () => {
  await mneme?.stop();
  await provider?.stop();
  await sites?.close();
});

/** Puts the metadata of an application at an address. */
function describeClient(address: string, changes: object): void {
  const document = { client_id: address, client_name: 'Notebook of a site', redirect_uris: [REDIRECT_URI], ...changes };
  sites.answers[address.slice('https://'.length)] = (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
}

const register = (fields: object) =>
  mneme.post<Record<string, string>>('/oauth/register', fields, { authorization: '' });
const browser = () => new Visitor(ADDRESS, mneme.url);

let people = 0;
/** A member who is signed in by the provider. */
async function person(fields: object = {}) {
  people += 1;
  const [id, email] = [`account-${people}`, `person-${people}@example.com`];
  provider.people[id] = { email, email_verified: true, name: `Person ${people}` };
  const invited = await mneme.post<{ id: string }>('/v3/team/invitations', { email, ...fields });
  expect(invited.status).toBe(200);
  provider.next = id;
  const visitor = browser();
  expect((await visitor.visit('/v3/session/oidc?returnTo=%2Fv3%2Fsession')).status).toBe(200);
  return { visitor, memberId: invited.body.id };
}

/** Somebody who is signed in with a key. */
async function holder(key: string) {
  const visitor = browser();
  const headers = { authorization: `Bearer ${key}` };
  expect((await visitor.visit('/v3/session', { method: 'POST', headers })).status).toBe(200);
  return visitor;
}

/** An application whose person has agreed; `fields` of the consent. */
async function agreed(visitor: Visitor, fields: object = {}) {
  const connection = new Connection(ADDRESS, clientId);
  const { body } = await connection.asked(visitor);
  const back = await permit(visitor, body.request, fields);
  return { connection, back, code: back.searchParams.get('code') as string };
}

const token = (fields: Readonly<Record<string, string>>) => sendForm(mneme.url, '/oauth/token', fields);

/** The tokens of an application whose person has agreed. */
async function connected(visitor: Visitor, fields: object = {}) {
  const { connection, code } = await agreed(visitor, fields);
  const { status, body } = await token(connection.exchange(code));
  expect(status).toBe(200);
  return body as { access_token: string; refresh_token: string; expires_in: number; scope: string };
}

const refresh = (refreshToken: string, client = clientId) =>
  token({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: client });

/** What a tool answers to a token: the status, and who the caller is. */
async function whoAmI(accessToken: string) {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoAmI', arguments: {} } };
  const { status, headers, body } = await mneme.post<{ result?: { structuredContent: Record<string, unknown> } }>(
    ...(['/mcp', call, { authorization: `Bearer ${accessToken}` }] as const),
  );
  return { status, headers, me: body.result?.structuredContent };
}

interface ListedKey {
  readonly id: string;
  readonly name: string;
  readonly memberId: string | null;
  readonly client: { readonly id: string; readonly name: string } | null;
}

const keys = async () => (await mneme.get<{ keys: ListedKey[] }>('/v3/auth/keys')).body.keys;
const grantOf = async (memberId: string) => (await keys()).find((key) => key.memberId === memberId) as ListedKey;
const refused = async (accessToken: string) =>
  eventually(async () => ((await whoAmI(accessToken)).status === 401 ? true : null));

if ('missing' in node) {
  test.skip(`SKIPPED: ${node.missing}`, () => {});
} else {
  test.each([
    ['v1', 'cimd'],
    ['v1', 'dcr'],
    ['v2', 'cimd'],
    ['v2', 'dcr'],
  ] as const)(
    'the official TypeScript client %s is connected by %s, calls tools, and is signed out when the key is revoked',
    async (line, way) => {
      const env = { MCP_ADDRESS: ADDRESS, MCP_SERVER: mneme.url, METADATA_URL: CIMD, REDIRECT_URI };
      const { client, seen } = await ConnectedClient.start(node.folder, { line, way, env });
      try {
        const { visitor, memberId } = await person();
        const { pathname, searchParams } = new URL(seen.authorize as string);
        expect([pathname, searchParams.get('resource')]).toEqual(['/oauth/authorize', `${ADDRESS}/mcp`]);
        const page = await visitor.visit(seen.authorize as string);
        expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
        const asked = await visitor.visit(`/oauth/request${new URL(seen.authorize as string).search}`);
        expect(asked.body).toMatchObject({
          client:
            way === 'cimd'
              ? { name: 'Notebook of a site', address: CIMD }
              : { name: `Notebook ${line}`, address: null },
          ...{ returnsTo: '127.0.0.1:8123', isProgram: true, access: 'write' },
        });
        const back = await permit(visitor, asked.body.request, { containerTags: ['farm'] });
        expect(back.href).toMatch(/^http:\/\/127\.0\.0\.1:8123\/callback\?code=/);
        expect([back.searchParams.get('state'), back.searchParams.get('iss')]).toEqual([`state of ${line}`, ADDRESS]);

        const found = await client.step(back.href);
        expect(found.error).toBeUndefined();
        expect(found).toMatchObject({
          me: {
            userId: memberId,
            accessType: 'restricted',
            assignedSpaces: [{ containerTag: 'farm', permission: 'write' }],
          },
          tokens: { token_type: 'Bearer', scope: 'read write' },
        });
        const grant = await grantOf(memberId);
        expect(grant).toMatchObject({
          ...{ name: asked.body.client.name, permission: 'write', isScoped: true, expiresAt: expect.any(String) },
          client: { id: way === 'cimd' ? CIMD : expect.stringMatching(/^\w{22}$/), name: asked.body.client.name },
          containerTags: [{ containerTag: 'farm', permission: 'write' }],
        });
        expect((await mneme.request('DELETE', `/v3/auth/keys/${grant.id}`)).status).toBe(200);
        expect(await client.step('call')).toMatchObject({ authorize: expect.stringContaining('/oauth/authorize') });
      } finally {
        await client.stop();
      }
    },
    120_000,
  );
}

test('what clients read names this server, and only where it is in the settings', async () => {
  const { body } = await mneme.get('/.well-known/oauth-protected-resource/mcp', { authorization: '' });
  expect(body).toMatchObject({
    ...{ resource: `${ADDRESS}/mcp`, authorization_servers: [ADDRESS], scopes_supported: ['read', 'write'] },
  });
  expect((await mneme.get('/.well-known/oauth-authorization-server', { authorization: '' })).body).toMatchObject({
    ...{ issuer: ADDRESS, token_endpoint: `${ADDRESS}/oauth/token`, code_challenge_methods_supported: ['S256'] },
    client_id_metadata_document_supported: true,
  });
  const plain = await Mneme.start();
  try {
    for (const path of ['/.well-known/oauth-authorization-server', '/oauth/authorize', '/oauth/request?client_id=x']) {
      expect((await plain.get(path)).status).toBe(path.includes('?') ? 400 : 404);
    }
    expect((await plain.post('/oauth/register', { redirect_uris: [REDIRECT_URI] })).status).toBe(404);
    const resource = await plain.get('/.well-known/oauth-protected-resource');
    expect(resource.body).not.toHaveProperty('authorization_servers');
  } finally {
    await plain.stop();
  }
});

test('the page cannot be framed, and sends to this server alone', async () => {
  const { headers } = await browser().visit('/oauth/authorize?client_id=x');
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  const policy = headers.get('content-security-policy');
  for (const part of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'none'", "connect-src 'self'"]) {
    expect(policy).toContain(part);
  }
});

describe('what an application asks for', () => {
  let visitor: Visitor;
  beforeAll(async () => {
    visitor = (await person()).visitor;
  });

  test.each([
    ['without a challenge (PKCE)', { code_challenge: null }, 'code_challenge'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'code_challenge_method'],
    ['without the way of the challenge', { code_challenge_method: null }, 'code_challenge_method'],
    ['to go back to another address', { redirect_uri: 'https://evil.example/callback' }, 'redirect_uri'],
    ['to go back to a longer path', { redirect_uri: `${REDIRECT_URI}/x` }, 'redirect_uri'],
    ['to go back to a script', { redirect_uri: 'javascript:alert(1)' }, 'redirect_uri'],
    ['for another server', { resource: 'https://other.example/mcp' }, 'resource'],
    ['for more than the tools', { resource: ADDRESS }, 'resource'],
    ['for scopes that are not known', { scope: 'admin' }, 'scope'],
    ['for a token at once', { response_type: 'token' }, 'response_type'],
    ['by nobody', { client_id: 'notebook' }, 'client_id'],
  ])('%s is refused on the page, and the browser is not sent back', async (_, changes, field) => {
    const { status, body, url } = await new Connection(ADDRESS, clientId).asked(visitor, changes);
    expect([status, body.details, url.startsWith(ADDRESS)]).toEqual([400, field, true]);
  });

  test('a program chooses its port when it starts', async () => {
    const { status } = await new Connection(ADDRESS, clientId, 'http://127.0.0.1:9999/callback').asked(visitor);
    expect(status).toBe(200);
  });

  test('needs a person who is signed in', async () => {
    const connection = new Connection(ADDRESS, clientId);
    expect((await connection.asked(browser())).status).toBe(401);
    const path = `/oauth/request?${connection.query()}`;
    expect(await mneme.get(path)).toMatchObject({ status: 403, body: { message: expect.stringContaining('browser') } });
  });

  test.each([
    ['names another address', { client_id: 'https://notebook.example/other.json' }, 'another address'],
    ['has a secret', { client_secret: 'x' }, 'without a secret'],
    ['signs with a key', { token_endpoint_auth_method: 'private_key_jwt' }, 'without a secret'],
    ['leads to a script', { redirect_uris: ['javascript:alert(1)'] }, 'redirect_uris'],
    ['leads nowhere', { redirect_uris: [] }, 'redirect_uris'],
    ['is long', { logo_uri: 'x'.repeat(20_000) }, 'than'],
  ])('metadata that %s is refused', async (_, changes, sentence) => {
    describeClient('https://notebook.example/wrong.json', changes);
    const { status, body } = await new Connection(ADDRESS, 'https://notebook.example/wrong.json').asked(visitor);
    expect([status, body.details]).toEqual([400, 'client_id']);
    expect(body.message).toContain(sentence);
  });

  test('metadata is read at its own address, through the guard, and for nobody who is not signed in', async () => {
    let asked = 0;
    sites.answers['notebook.example/moved.json'] = (_request, response) => {
      asked += 1;
      response.writeHead(302, { location: CIMD }).end();
    };
    const moved = new Connection(ADDRESS, 'https://notebook.example/moved.json');
    expect((await moved.asked(browser())).status).toBe(401);
    expect(asked).toBe(0);
    expect((await moved.asked(visitor)).body.message).toContain('redirects');
    for (const address of ['https://10.0.0.7/client.json', 'https://notebook.example/none.json']) {
      expect(await new Connection(ADDRESS, address).asked(visitor)).toMatchObject({ status: 400 });
    }
    const http = await new Connection(ADDRESS, 'http://notebook.example/client.json').asked(visitor);
    expect(http.body.message).toContain('neither an address with https nor registered');
  });
});

describe('the answer of a person', () => {
  test('counts in the session to which it was shown, from a page of this server', async () => {
    const [one, other] = [await person(), await person()];
    const { body } = await new Connection(ADDRESS, clientId).asked(one.visitor);
    const answer = { method: 'POST', body: { request: body.request, allow: true } };
    for (const origin of ['https://evil.example', 'null', 'http://memory.example']) {
      expect((await one.visitor.visit('/oauth/consent', { ...answer, headers: { origin } })).status).toBe(403);
    }
    expect(await other.visitor.visit('/oauth/consent', answer)).toMatchObject({
      status: 400,
      body: { details: 'request' },
    });
    expect((await browser().visit('/oauth/consent', answer)).status).toBe(401);
    const made = { ...answer, body: { ...answer.body, request: `${body.request.slice(0, -4)}AAAA` } };
    expect((await one.visitor.visit('/oauth/consent', made)).status).toBe(400);
    expect((await one.visitor.visit('/oauth/consent', answer)).status).toBe(200);
  });

  test('can be a refusal, of which the application hears', async () => {
    const { visitor, memberId } = await person();
    const { body } = await new Connection(ADDRESS, clientId).asked(visitor);
    const refusal = { method: 'POST', body: { request: body.request, allow: false } };
    const back = new URL((await visitor.visit('/oauth/consent', refusal)).body.location);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      ...{ error: 'access_denied', error_description: expect.any(String), state: 'x y', iss: ADDRESS },
    });
    expect(await grantOf(memberId)).toBeUndefined();
  });

  test('permits less than the application asks for, and never more', async () => {
    const { visitor, memberId } = await person();
    const { access_token: accessToken, scope } = await connected(visitor, { access: 'read' });
    expect(scope).toBe('read');
    expect((await whoAmI(accessToken)).me).toMatchObject({
      userId: memberId,
      scope: { type: 'full', permission: 'read' },
    });
    const connection = new Connection(ADDRESS, clientId);
    const { body } = await connection.asked(visitor, { scope: 'read' });
    expect(body.access).toBe('read');
    const code = (await permit(visitor, body.request, { access: 'write' })).searchParams.get('code') as string;
    expect((await token(connection.exchange(code))).body.scope).toBe('read');
  });
});

describe('a code', () => {
  test.each([
    ['with another verifier', { code_verifier: 'x'.repeat(43) }],
    ['with another address to go back to', { redirect_uri: 'http://127.0.0.1:9999/callback' }],
    ['of another application', { client_id: CIMD }],
    ['that was made up', { code: 'x.y' }],
  ])('%s is refused, and counts afterwards', async (_, changes) => {
    const { visitor } = await person();
    const { connection, code } = await agreed(visitor);
    const fields = connection.exchange(code);
    expect(await token({ ...fields, ...changes })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await token(fields)).status).toBe(200);
  });

  test('counts once: a second time ends what it has led to', async () => {
    const { visitor } = await person();
    const { connection, code } = await agreed(visitor);
    const first = await token(connection.exchange(code));
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.body).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'read write' });
    expect((await whoAmI(first.body.access_token)).status).toBe(200);
    expect(await token(connection.exchange(code))).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await whoAmI(first.body.access_token)).status).toBe(401);
    expect((await refresh(first.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test.each([
    [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ code_verifier: '' }, 'invalid_request'],
    [{ client_id: '' }, 'invalid_request'],
  ])('with %j is refused as %s', async (changes, error) => {
    const fields = { ...new Connection(ADDRESS, clientId).exchange('x.y'), ...changes };
    expect(await token(fields)).toMatchObject({ status: 400, body: { error, error_description: expect.any(String) } });
  });
});

describe('tokens', () => {
  test('are for the tool server alone, and the tools are not theirs without one', async () => {
    const { visitor } = await person({ role: 'admin' });
    const { access_token: accessToken, refresh_token: refreshToken } = await connected(visitor);
    expect((await whoAmI(accessToken)).status).toBe(200);
    const headers = { authorization: `Bearer ${accessToken}` };
    for (const path of ['/v3/session', '/v3/auth/keys', '/v3/container-tags/list', '/oauth/request?client_id=x']) {
      expect(await mneme.get(path, headers)).toMatchObject({
        status: 401,
        body: { message: expect.stringContaining('/mcp') },
      });
    }
    expect((await mneme.post('/v3/documents', { content: 'x' }, headers)).status).toBe(401);
    expect((await mneme.post('/v3/session', {}, { ...headers, origin: ADDRESS })).status).toBe(401);
    // What a tool has prepared is uploaded with its own token.
    const prepare = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'prepare-file-upload', arguments: {} },
    };
    const { body: prepared } = await mneme.post<{
      result: { structuredContent: { uploadUrl: string; uploadToken: string } };
    }>('/mcp', prepare, headers);
    const { uploadUrl, uploadToken } = prepared.result.structuredContent;
    const form = new FormData();
    form.append('file', new Blob(['It rained.']), 'rain.txt');
    const uploaded = await mneme.post(uploadUrl.slice(ADDRESS.length), form, {
      authorization: `Bearer ${uploadToken}`,
    });
    expect(uploaded.status).toBe(200);
    const wrong = await whoAmI(refreshToken);
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
      ...[401, expect.stringContaining('error="invalid_token"')],
    ]);
  });

  test('are exchanged for others; a repetition gets the same ones, and an older one ends the access', async () => {
    const { visitor, memberId } = await person();
    const first = await connected(visitor);
    const second = (await refresh(first.refresh_token)).body;
    expect((await whoAmI(first.access_token)).status).toBe(401);
    expect((await whoAmI(second.access_token)).status).toBe(200);
    // The answer may have been lost, or another process of the application has asked, too.
    expect((await refresh(first.refresh_token)).body.access_token).toBe(second.access_token);
    expect((await refresh(second.refresh_token, CIMD)).body.error).toBe('invalid_grant');
    const third = (await refresh(second.refresh_token)).body;
    expect((await whoAmI(third.access_token)).status).toBe(200);
    expect((await refresh(first.refresh_token)).body.error).toBe('invalid_grant');
    expect((await whoAmI(third.access_token)).status).toBe(401);
    expect((await refresh(third.refresh_token)).body.error).toBe('invalid_grant');
    expect(await grantOf(memberId)).toBeUndefined();
  });

  test('permit what the person may now, and end with the membership', async () => {
    const { visitor, memberId } = await person();
    const { access_token: accessToken, refresh_token: refreshToken } = await connected(visitor);
    const tags = [{ containerTag: 'farm', permission: 'read' }];
    await mneme.request('PATCH', `/v3/team/members/${memberId}`, { accessType: 'restricted', containerTags: tags });
    expect((await whoAmI(accessToken)).me).toMatchObject({ accessType: 'restricted', assignedSpaces: tags });
    await mneme.request('DELETE', `/v3/team/members/${memberId}`);
    expect((await whoAmI(accessToken)).status).toBe(401);
    expect((await refresh(refreshToken)).body.error).toBe('invalid_grant');
  });

  test('of a session with a key permit no more than the key, and end with it', async () => {
    const { body: key } = await mneme.post<{ id: string; key: string }>('/v3/auth/scoped-key', {
      ...{ containerTag: 'farm', permission: 'read' },
    });
    const { access_token: accessToken } = await connected(await holder(key.key), { containerTags: ['farm', 'travel'] });
    expect((await whoAmI(accessToken)).me).toMatchObject({
      assignedSpaces: [{ containerTag: 'farm', permission: 'read' }],
    });
    await mneme.request('PATCH', `/v3/auth/keys/${key.id}`, { enabled: false });
    expect((await whoAmI(accessToken)).status).toBe(401);
    await mneme.request('PATCH', `/v3/auth/keys/${key.id}`, { enabled: true });
    expect((await whoAmI(accessToken)).status).toBe(200);
    await mneme.request('DELETE', `/v3/auth/keys/${key.id}`);
    expect((await whoAmI(accessToken)).status).toBe(401);
  });

  test('are given back by the application, and disabled in the list of keys', async () => {
    const visitor = await holder(OWNER_KEY);
    const [one, other] = [await connected(visitor), await connected(visitor)];
    expect((await sendForm(mneme.url, '/oauth/revoke', { token: one.refresh_token })).status).toBe(200);
    await refused(one.access_token);
    expect((await sendForm(mneme.url, '/oauth/revoke', { token: 'x' })).status).toBe(200);
    expect((await whoAmI(other.access_token)).status).toBe(200);
    expect((await sendForm(mneme.url, '/oauth/revoke', { token: other.access_token })).status).toBe(200);
    await refused(other.access_token);
  });

  test('are nowhere in the log, and neither are codes', async () => {
    const { visitor } = await person();
    const { connection, code } = await agreed(visitor);
    const { body } = await token(connection.exchange(code));
    const renewed = (await refresh(body.refresh_token)).body;
    const { out } = await mneme.cli('events', 'export', '--types', 'KeyIssued,KeyRenewed');
    expect(out).toContain('KeyRenewed');
    for (const secret of [code, body.access_token, body.refresh_token, renewed.access_token, renewed.refresh_token]) {
      expect(out).not.toContain(secret);
    }
  });
});

test('what has begun before a restart goes on after it', async () => {
  const { visitor } = await person();
  const connection = new Connection(ADDRESS, clientId);
  const { body } = await connection.asked(visitor);
  mneme = await mneme.restart('SIGKILL');
  visitor.moveTo(mneme.url);
  const code = (await permit(visitor, body.request)).searchParams.get('code') as string;
  mneme = await mneme.restart('SIGKILL');
  const tokens = (await token(connection.exchange(code))).body;
  mneme = await mneme.restart('SIGKILL');
  expect((await whoAmI(tokens.access_token)).status).toBe(200);
  expect((await refresh(tokens.refresh_token)).status).toBe(200);
  expect((await token(connection.exchange(code))).body.error).toBe('invalid_grant');
});

test('an application registers itself without a secret, and not too often', async () => {
  const wrong = [
    ['https://x.example/#a'],
    ['http://x.example/'],
    ['data:text/html,x'],
    ['https://u:p@x.example/'],
    ['x'],
  ];
  for (const uris of wrong) {
    expect(await register({ redirect_uris: uris })).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri' },
    });
  }
  const one = await register({
    ...{ client_name: '  A\u202e name\n', redirect_uris: ['cursor://anysphere/callback', 'https://x.example/a?b=c'] },
    ...{ grant_types: ['authorization_code'], token_endpoint_auth_method: 'client_secret_post', scope: 'read' },
  });
  expect(one).toMatchObject({
    status: 201,
    body: { client_name: 'A name', token_endpoint_auth_method: 'none', client_id: expect.any(String) },
  });
  const statuses = [];
  for (let index = 0; index < 12; index += 1)
    statuses.push((await register({ redirect_uris: ['https://x.example/'] })).status);
  expect(statuses.at(-1)).toBe(429);
  expect(await register({ redirect_uris: ['https://x.example/'] })).toMatchObject({
    ...{ status: 429, body: { error: 'temporarily_unavailable' } },
  });
});

test.each([
  [{ MNEME_OAUTH: 'on' }, 'MNEME_OAUTH needs MNEME_PUBLIC_URL'],
  [
    { MNEME_OAUTH: 'on', MNEME_PUBLIC_URL: 'http://memory.example' },
    'with https://; http:// is for loopback addresses only',
  ],
  [{ MNEME_OAUTH: 'yes' }, 'MNEME_OAUTH must be'],
])('a start with %j is refused', async (env, sentence) => {
  await expect(Mneme.start({ env })).rejects.toThrow(sentence);
});

import { startSmtpServer } from '../libs/platform/mail/src/testing/smtp-server.ts';
import { eventually, Mneme, OWNER_KEY } from './support/mneme.ts';

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme?.stop());

interface Invitation {
  readonly id: string;
  readonly token: string;
  readonly email: string;
}

interface Member {
  readonly id: string;
  readonly key: string;
  readonly email: string;
}

const withKey = (key: string) => ({ authorization: `Bearer ${key}` });

/** Returns the status of a request with a key. */
const status = async (key: string, method: string, path: string, body?: unknown): Promise<number> =>
  (await mneme.request(method, path, body, withKey(key))).status;

async function invite(fields: object, key = OWNER_KEY): Promise<Invitation> {
  const answer = await mneme.post<Invitation>('/v3/team/invitations', fields, withKey(key));
  expect(answer.status).toBe(200);
  return answer.body;
}

const accept = (token: string, name?: string) =>
  mneme.request<{ member: { id: string }; key: string }>(
    'POST',
    '/v3/team/invitations/accept',
    { token, ...(name !== undefined && { name }) },
    { authorization: '' },
  );

let people = 0;
/** Invites a person, who accepts. */
async function join(fields: object): Promise<Member> {
  people += 1;
  const email = `person-${people}@example.com`;
  const { token } = await invite({ email, ...fields });
  const { status, body } = await accept(token);
  expect(status).toBe(200);
  return { id: body.member.id, key: body.key, email };
}

const members = async (): Promise<readonly Record<string, unknown>[]> =>
  (await mneme.get<{ members: readonly Record<string, unknown>[] }>('/v3/team/members')).body.members;
const pending = async (): Promise<readonly { readonly id: string; readonly email: string }[]> =>
  (await mneme.get<{ invitations: readonly { readonly id: string; readonly email: string }[] }>('/v3/team/invitations'))
    .body.invitations;

test('who accepts an invitation is a member, with a key of the own', async () => {
  const invitation = await invite({ email: 'ada@example.com', role: 'admin' });
  expect(invitation).toEqual({
    ...{ id: expect.any(String), email: 'ada@example.com', role: 'admin', accessType: 'full', containerTags: [] },
    ...{ status: 'pending', token: expect.any(String), mail: null },
    ...{ createdAt: expect.any(String), expiresAt: expect.any(String) },
  });
  const list = await mneme.get('/v3/team/invitations');
  expect(JSON.stringify(list.body)).toContain(invitation.id);
  expect(JSON.stringify(list.body)).not.toContain(invitation.token);
  // Opening the link changes nothing.
  const page = await mneme.get('/v3/team/invitations/accept', { authorization: '' });
  expect(page.status).toBe(200);
  expect(String(page.body)).toContain('Accept the invitation');
  expect((await pending()).map(({ id }) => id)).toContain(invitation.id);

  const { status, body } = await accept(invitation.token, 'Ada Lovelace');
  const member = {
    ...{ id: invitation.id, userId: invitation.id, email: 'ada@example.com', name: 'Ada Lovelace', role: 'admin' },
    ...{ accessType: 'full', containerTags: [], createdAt: expect.any(String) },
  };
  expect([status, body]).toEqual([200, { member, key: expect.stringMatching(/^sm_\S{17,}$/) }]);
  expect(await members()).toContainEqual(member);
  expect((await pending()).map(({ id }) => id)).not.toContain(invitation.id);
  expect((await accept(invitation.token)).status).toBe(404);

  expect((await mneme.get('/v3/session', withKey(body.key))).body).toMatchObject({
    ...{ user: { id: invitation.id, email: 'ada@example.com', name: 'Ada Lovelace' }, role: 'admin' },
    ...{ accessType: 'full', containerTags: null, scope: { type: 'full', permission: 'write' } },
  });
  expect((await mneme.get('/v3/me', withKey(body.key))).body).toMatchObject({
    ...{ userId: invitation.id, name: 'Ada Lovelace', email: 'ada@example.com', role: 'admin' },
  });
});

test('the key of a member follows role and tags of the member, also after a restart, and ends with the membership', async () => {
  const member = await join({ role: 'member' });
  expect(await status(member.key, 'GET', '/v3/team/members')).toBe(200);
  expect(await status(member.key, 'GET', '/v3/team/invitations')).toBe(403);
  const path = `/v3/team/members/${member.id}`;
  const stream = await fetch(`${mneme.url}/v3/events`, { headers: withKey(member.key) });
  const ended = stream.text();
  const tags = [{ containerTag: 'handbook', permission: 'read' }];
  expect((await mneme.request('PATCH', path, { containerTags: tags })).body).toMatchObject({
    ...{ id: member.id, accessType: 'restricted', containerTags: tags },
  });
  // It showed events of all tags.
  await ended;
  const restricted = async () => {
    expect((await mneme.get('/v3/session', withKey(member.key))).body).toMatchObject({
      ...{ accessType: 'restricted', containerTags: tags, role: 'member' },
    });
    expect(await status(member.key, 'GET', '/v3/team/members')).toBe(403);
    expect(await status(member.key, 'POST', '/v4/search', { q: 'x', containerTag: 'other' })).toBe(403);
    expect(await status(member.key, 'POST', '/v3/documents', { content: 'x', containerTag: 'handbook' })).toBe(403);
  };
  await restricted();
  mneme = await mneme.restart();
  await restricted();

  await mneme.request('PATCH', path, { role: 'admin', accessType: 'full' });
  expect(await status(member.key, 'GET', '/v3/team/invitations')).toBe(200);
  expect((await mneme.request('DELETE', path)).status).toBe(204);
  expect(await status(member.key, 'GET', '/v3/session')).toBe(401);
  expect((await members()).map(({ id }) => id)).not.toContain(member.id);
  expect((await mneme.request('DELETE', path)).status).toBe(404);
  expect((await mneme.request('PATCH', path, { role: 'member' })).status).toBe(404);
  mneme = await mneme.restart();
  expect(await status(member.key, 'GET', '/v3/session')).toBe(401);
  const { body } = await mneme.get<{ audit: readonly Record<'action' | 'targetId', string>[] }>('/v3/audit');
  expect(body.audit.filter(({ targetId }) => targetId === member.id).map(({ action }) => action)).toEqual([
    ...['member.removed', 'member.changed', 'member.changed', 'member.joined', 'member.invited'],
  ]);
});

test('a key that the key of a member makes belongs to the organization, and stays when the member leaves', async () => {
  const admin = await join({ role: 'admin' });
  expect(await status(admin.key, 'POST', '/v3/auth/keys', { name: 'x', role: 'owner' })).toBe(403);
  const made = await mneme.post<{ id: string; key: string }>('/v3/auth/keys', { name: 'Desk' }, withKey(admin.key));
  const { keys } = (await mneme.get<{ keys: readonly { id: string; memberId: string | null }[] }>('/v3/auth/keys'))
    .body;
  expect(keys.find(({ id }) => id === made.body.id)).toMatchObject({ memberId: null, role: 'member' });
  const own = keys.find(({ memberId }) => memberId === admin.id);
  expect(own).toMatchObject({ role: 'admin', permission: 'write' });
  await mneme.request('DELETE', `/v3/team/members/${admin.id}`);
  expect(await status(made.body.key, 'GET', '/v3/session')).toBe(200);
  const { body } = await mneme.get<{ keys: readonly { id: string }[] }>('/v3/auth/keys');
  expect(body.keys.map(({ id }) => id)).not.toContain(own?.id);
});

test('nobody manages anybody above the own role', async () => {
  const owner = await join({ role: 'owner' });
  const second = await join({ role: 'owner' });
  const admin = await join({ role: 'admin' });
  const member = await join({});
  const post = (key: string, body: object) => status(key, 'POST', '/v3/team/invitations', body);
  expect(await post(admin.key, { email: 'x@example.com', role: 'owner' })).toBe(403);
  expect(await post(member.key, { email: 'x@example.com' })).toBe(403);
  const change = (key: string, of: Member, body: object) => status(key, 'PATCH', `/v3/team/members/${of.id}`, body);
  expect(await change(admin.key, owner, { role: 'member' })).toBe(403);
  expect(await change(admin.key, admin, { role: 'owner' })).toBe(403);
  expect(await change(member.key, member, { role: 'admin' })).toBe(403);
  expect(await status(admin.key, 'DELETE', `/v3/team/members/${owner.id}`)).toBe(403);
  const invitation = await invite({ email: 'owner@example.com', role: 'owner' });
  expect(await status(admin.key, 'DELETE', `/v3/team/invitations/${invitation.id}`)).toBe(403);
  // Neither by inviting the address again.
  expect(await post(admin.key, { email: 'owner@example.com' })).toBe(403);
  expect(await status(owner.key, 'DELETE', `/v3/team/invitations/${invitation.id}`)).toBe(204);
  expect((await accept(invitation.token)).status).toBe(404);
  expect(await status(owner.key, 'DELETE', `/v3/team/invitations/${invitation.id}`)).toBe(404);

  // The last owner stays one.
  expect(await change(owner.key, second, { role: 'member' })).toBe(200);
  const last = await mneme.request('PATCH', `/v3/team/members/${owner.id}`, { role: 'admin' });
  expect([last.status, last.body.code, last.headers.get('x-should-retry')]).toEqual([409, 'conflict', 'false']);
  expect((await mneme.request('DELETE', `/v3/team/members/${owner.id}`)).status).toBe(409);
  expect(await change(owner.key, second, { role: 'owner' })).toBe(200);
  expect(await change(owner.key, owner, { role: 'admin' })).toBe(200);
});

test('a new invitation replaces the former one of the address; the address of a member is a conflict', async () => {
  const first = await invite({ email: 'grace@example.com' });
  const second = await invite({ email: 'Grace@example.com' });
  expect((await pending()).filter(({ email }) => /grace/i.test(email)).map(({ id }) => id)).toEqual([second.id]);
  expect((await accept(first.token)).status).toBe(404);
  expect((await accept(second.token)).status).toBe(200);
  const again = await mneme.post('/v3/team/invitations', { email: 'grace@example.com' });
  expect([again.status, again.body.details, again.headers.get('x-should-retry')]).toEqual([409, 'email', 'false']);
});

test.each([
  ['POST', 'invitations', {}, 'email'],
  ['POST', 'invitations', { email: 'nobody' }, 'email'],
  ['POST', 'invitations', { email: 'a@example.com,b@example.com' }, 'email'],
  ['POST', 'invitations', { email: 'a@example.com', role: 'king' }, 'role'],
  ['POST', 'invitations', { email: 'a@example.com', accessType: 'restricted' }, 'containerTags'],
  [
    'POST',
    'invitations',
    { email: 'a@example.com', accessType: 'full', containerTags: [{ containerTag: 'a', permission: 'read' }] },
    'containerTags',
  ],
  [
    'POST',
    'invitations',
    { email: 'a@example.com', role: 'admin', containerTags: [{ containerTag: 'a', permission: 'read' }] },
    'accessType',
  ],
  ['POST', 'invitations/accept', {}, 'token'],
  ['PATCH', 'members/x', {}, 'body'],
  ['PATCH', 'members/x', { containerTags: [{ containerTag: 'a' }] }, 'containerTags[0].permission'],
])('%s %s refuses %j and names the field', async (method, path, body, field) => {
  const answer = await mneme.request(method, `/v3/team/${path}`, body);
  expect([answer.status, answer.body.details]).toEqual([400, field]);
});

test('an invitation is over after seven days, and its address is erased', async () => {
  const { id, token } = await invite({ email: 'late@example.com' });
  const clock = { NODE_OPTIONS: `--import=${new URL('support/later.ts', import.meta.url).href}` };
  mneme = await mneme.restart('SIGTERM', { ...clock, TEST_AHEAD_MS: String(7 * 86_400_000) });
  expect((await accept(token)).status).toBe(404);
  expect((await pending()).map(({ email }) => email)).not.toContain('late@example.com');
  await eventually(async () => {
    const { out } = await mneme.cli('events', 'export', '--types', 'InvitationExpired');
    return out.includes(`member-${id}`) ? true : null;
  });
  mneme = await mneme.restart('SIGTERM', { NODE_OPTIONS: '', TEST_AHEAD_MS: undefined });
  expect((await accept(token)).status).toBe(404);
  expect((await mneme.request('DELETE', `/v3/team/invitations/${id}`)).status).toBe(404);
});

/** Runs `mneme team …` and returns its lines. */
async function team(...args: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const { code, out, err } = await mneme.cli('team', ...args, '--json');
  if (code !== 0) throw new Error(err);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('mneme team invites, lists and removes people of a running server', async () => {
  const [invited] = await team('invite', 'alan@example.com', '--read-tag', 'handbook');
  const [id, token] = [invited?.id as string, invited?.token as string];
  const listed = async () => (await team('list')).find((one) => one.id === id);
  const containerTags = [{ containerTag: 'handbook', permission: 'read' }];
  const person = { email: 'alan@example.com', role: 'member', containerTags };
  expect(await listed()).toMatchObject({ ...person, status: 'pending' });
  const { key } = (await accept(token)).body;
  expect(await listed()).toMatchObject({ ...person, status: 'member' });
  await expect(team('invite', 'alan@example.com')).rejects.toThrow('alan@example.com is the address of a member.');
  await team('remove', id);
  expect(await status(key, 'GET', '/v3/session')).toBe(401);
  const [second] = await team('invite', 'alan@example.com', '--role', 'admin');
  await team('remove', second?.id as string);
  expect(await listed()).toBeUndefined();
  await expect(team('remove', id)).rejects.toThrow(`There is no member or invitation ${id}.`);
  expect((await mneme.cli('replay', '--verify')).code).toBe(0);
  await expect(team('invite', 'nobody')).rejects.toThrow('It is an e-mail address');
});

test('the link of an invitation is mailed; what became of the mail is in the list, and the token is not in the log', async () => {
  const smtp = await startSmtpServer();
  const withMail = await Mneme.start({
    env: {
      MNEME_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MNEME_PUBLIC_URL: 'https://memory.example/base',
      MNEME_LOG_LEVEL: 'debug',
    },
  });
  try {
    const ask = { email: 'ada@example.com' };
    const { body } = await withMail.post<Invitation & { mail: object }>('/v3/team/invitations', ask, {
      'x-forwarded-host': 'evil.example',
    });
    expect(body.mail).toEqual({ status: 'sent', error: null });
    expect(smtp.got).toMatchObject([{ from: 'mneme@memory.example', to: ['ada@example.com'] }]);
    expect(smtp.got[0]?.text).toContain(`https://memory.example/base/v3/team/invitations/accept#${body.token}`);
    expect(smtp.got[0]?.text).not.toContain('evil');

    const refused = await withMail.post<Invitation & { mail: object }>('/v3/team/invitations', {
      email: 'nobody@example.com',
    });
    const failed = { status: 'failed', error: expect.stringContaining('No such user') };
    expect([refused.status, refused.body.mail]).toEqual([200, failed]);
    const list = await withMail.get<{ invitations: readonly object[] }>('/v3/team/invitations');
    expect(list.body.invitations).toMatchObject([{ mail: { status: 'sent' } }, { id: refused.body.id, mail: failed }]);
    const { status } = await withMail.post('/v3/team/invitations/accept', { token: refused.body.token });
    expect(status).toBe(200);
    expect(withMail.output.join('\n')).not.toContain(body.token);
    expect(withMail.output.join('\n')).not.toContain('ada@example.com');
  } finally {
    await withMail.stop();
    await smtp.close();
  }
});

test('mail without a public address: the start is refused', async () => {
  await expect(Mneme.start({ env: { MNEME_SMTP_URL: 'smtp://127.0.0.1:25' } })).rejects.toThrow(
    'MNEME_SMTP_URL needs MNEME_PUBLIC_URL',
  );
});

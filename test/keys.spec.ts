import { Mneme } from './support/mneme.ts';

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme?.stop());

interface Created {
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly expiresAt: string | null;
}

interface ListedKey {
  readonly id: string;
  readonly start: string;
  readonly lastRequest: string | null;
}

async function create(path: 'keys' | 'scoped-key', body: object, by?: Created): Promise<Created> {
  const answer = await mneme.post<Created>(`/v3/auth/${path}`, body, by && withKey(by));
  expect(answer.status).toBe(200);
  return answer.body;
}

const withKey = ({ key }: Pick<Created, 'key'>) => ({ authorization: `Bearer ${key}` });

/** Returns the status of a request with a key. */
async function status(key: Created, method: string, path: string, body?: unknown): Promise<number> {
  return (await mneme.request(method, path, body, withKey(key))).status;
}

const search = (key: Created, fields: object = {}) =>
  mneme.post<{ results: readonly { readonly documents?: readonly { readonly id: string }[] }[] }>(
    '/v4/search',
    { q: 'lantern', include: { documents: true }, ...fields },
    withKey(key),
  );

const found = async (key: Created): Promise<readonly string[]> =>
  (await search(key)).body.results.flatMap(({ documents = [] }) => documents.map(({ id }) => id)).sort();

test('the secret is shown once, and the key works for as long as it is valid', async () => {
  const created = await create('keys', { name: 'Support desk' });
  expect(created).toMatchObject({ key: expect.stringMatching(/^sm_\S{17,}$/), name: 'Support desk', expiresAt: null });
  expect((await mneme.get('/v3/session', withKey(created))).body).toMatchObject({
    ...{ user: { id: created.id }, role: 'member', accessType: 'full', containerTags: null },
    scope: { type: 'full', permission: 'write' },
  });
  const list = await mneme.get<{ keys: readonly ListedKey[] }>('/v3/auth/keys');
  expect(JSON.stringify(list.body)).not.toContain(created.key);
  const listed = list.body.keys.find(({ id }) => id === created.id);
  expect(listed).toMatchObject({
    ...{ name: 'Support desk', role: 'member', permission: 'write', enabled: true },
    ...{ isScoped: false, containerTags: [], expiresAt: null },
  });
  expect(created.key.startsWith(listed?.start ?? '-')).toBe(true);
  const minute = Date.parse(String(listed?.lastRequest));
  expect(Math.abs(Date.now() - minute)).toBeLessThan(600_000);
  expect(minute % 60_000).toBe(0);

  mneme = await mneme.restart();
  const again = await mneme.get<{ keys: readonly ListedKey[] }>('/v3/auth/keys');
  expect(again.body.keys.find(({ id }) => id === created.id)).toMatchObject({ lastRequest: listed?.lastRequest });
  expect(await status(created, 'GET', '/v3/session')).toBe(200);
});

test('a scoped key is confined to its tags', async () => {
  const tags = [{ containerTag: 'handbook', permission: 'read' }];
  const key = await create('scoped-key', { containerTag: 'user-1', containerTags: tags, expiresInDays: 30 });
  expect(key).toMatchObject({ name: 'scoped_user-1', containerTag: 'user-1' });
  expect((await mneme.get('/v3/session', withKey(key))).body).toMatchObject({
    ...{ role: 'member', accessType: 'restricted' },
    containerTags: [{ containerTag: 'user-1', permission: 'write' }, ...tags],
  });
  const foreign = await mneme.addAndWait('The lantern of another user is red.', { containerTag: 'user-2' });
  const handbook = await mneme.addAndWait('A lantern is lit at dusk.', { containerTag: 'handbook' });
  // What it writes goes to the only tag that it may write.
  const added = await mneme.post<{ id: string }>('/v3/documents', { content: 'My lantern is blue.' }, withKey(key));
  const own = added.body.id;
  expect(await mneme.settled(own)).toMatchObject({ status: 'done', containerTags: ['user-1'] });
  expect(await found(key)).toEqual([own, handbook].sort());

  const text = { content: 'x' };
  expect(await status(key, 'GET', `/v3/documents/${handbook}`)).toBe(200);
  expect(await status(key, 'GET', `/v3/documents/${foreign}`)).toBe(403);
  expect(await status(key, 'GET', `/v3/documents/${foreign}/chunks`)).toBe(403);
  expect(await status(key, 'DELETE', `/v3/documents/${foreign}`)).toBe(403);
  expect(await status(key, 'PATCH', `/v3/documents/${handbook}`, text)).toBe(403);
  expect(await status(key, 'POST', '/v3/documents', { ...text, containerTag: 'user-2' })).toBe(403);
  expect(await status(key, 'POST', '/v3/documents', { ...text, containerTag: 'handbook' })).toBe(403);
  expect((await search(key, { containerTag: 'user-2' })).status).toBe(403);
  for (const [method, path] of [
    ['GET', '/v3/settings'],
    ['GET', '/v3/auth/keys'],
    ['POST', '/v3/auth/keys'],
    ['GET', '/v3/projects'],
    ['DELETE', '/v3/container-tags/user-1'],
  ] as const) {
    expect(await status(key, method, path, method === 'POST' ? { name: 'x' } : undefined)).toBe(403);
  }
});

test('a key that only reads changes and manages nothing', async () => {
  const key = await create('keys', { name: 'Report', permission: 'read', role: 'owner' });
  expect(await status(key, 'GET', '/v3/auth/keys')).toBe(200);
  expect(await status(key, 'POST', '/v4/search', { q: 'lantern' })).toBe(200);
  expect(await status(key, 'POST', '/v3/documents', { content: 'x' })).toBe(403);
  expect(await status(key, 'PATCH', '/v3/settings', { chunkSize: 200 })).toBe(403);
  expect(await status(key, 'PATCH', '/v3/container-tags/user-1', { name: 'x' })).toBe(403);
  expect(await status(key, 'POST', '/v3/auth/keys', { name: 'x' })).toBe(403);
});

test('no key makes or manages one whose role is above its own', async () => {
  const owner = await create('keys', { name: 'Second owner', role: 'owner' });
  const admin = await create('keys', { name: 'Admin', role: 'admin' });
  const member = await create('keys', { name: 'Member' });
  expect(await status(admin, 'POST', '/v3/auth/keys', { name: 'x', role: 'owner' })).toBe(403);
  expect(await status(admin, 'DELETE', `/v3/auth/keys/${owner.id}`)).toBe(403);
  expect(await status(admin, 'PATCH', `/v3/auth/keys/${owner.id}`, { enabled: false })).toBe(403);
  expect(await status(member, 'POST', '/v3/auth/scoped-key', { containerTag: 'x' })).toBe(403);
  const other = await create('keys', { name: 'Other admin', role: 'admin' }, admin);
  expect(await status(other, 'DELETE', `/v3/auth/keys/${admin.id}`)).toBe(200);
  expect(await status(admin, 'GET', '/v3/session')).toBe(401);
});

test('a revoked key is refused at once, its event stream ends, and it is gone from the list', async () => {
  const key = await create('scoped-key', { containerTag: 'user-1' });
  const stream = await fetch(`${mneme.url}/v3/events`, { headers: withKey(key) });
  const ended = stream.text();
  expect((await mneme.request('DELETE', `/v3/auth/scoped-key/${key.id}`)).body).toEqual({ success: true });
  expect(await status(key, 'GET', '/v3/session')).toBe(401);
  await ended;
  const { body } = await mneme.get<{ keys: readonly { readonly id: string }[] }>('/v3/auth/keys');
  expect(body.keys.map(({ id }) => id)).not.toContain(key.id);
  expect((await mneme.request('DELETE', `/v3/auth/keys/${key.id}`)).status).toBe(404);
  expect((await mneme.request('PATCH', `/v3/auth/keys/${key.id}`, { enabled: true })).status).toBe(404);
});

test('a disabled key is refused until it is enabled again, also after a restart', async () => {
  const key = await create('keys', { name: 'For now' });
  const change = (body: object) => mneme.request('PATCH', `/v3/auth/keys/${key.id}`, body);
  expect((await change({ enabled: false, name: 'Later' })).body).toMatchObject({ enabled: false, name: 'Later' });
  expect(await status(key, 'GET', '/v3/session')).toBe(401);
  mneme = await mneme.restart();
  expect(await status(key, 'GET', '/v3/session')).toBe(401);
  await change({ enabled: true });
  expect(await status(key, 'GET', '/v3/session')).toBe(200);
  expect((await change({})).status).toBe(400);
});

test('a key has its own rate limit, even where the settings have none', async () => {
  const key = await create('keys', { name: 'Slow', rateLimitMax: 2 });
  const answers = [];
  for (let i = 0; i < 3; i++) answers.push(await mneme.get('/v3/session', withKey(key)));
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 429]);
  expect(answers[2]?.headers.get('x-ratelimit-limit')).toBe('2');
});

test.each([
  ['keys', {}, 'name'],
  ['keys', { name: 'x', role: 'king' }, 'role'],
  ['keys', { name: 'x', permission: 'all' }, 'permission'],
  ['keys', { name: 'x', expiresInDays: 366 }, 'expiresInDays'],
  ['keys', { name: 'x', rateLimitTimeWindow: 3_600_001 }, 'rateLimitTimeWindow'],
  ['scoped-key', {}, 'containerTag'],
  ['scoped-key', { containerTag: 'a', containerTags: [{ containerTag: 'b' }] }, 'containerTags[0].permission'],
  ['scoped-key', { containerTag: 'a', expiresInDays: 0 }, 'expiresInDays'],
])('%s refuses %j and names the field', async (path, body, field) => {
  const answer = await mneme.post(`/v3/auth/${path}`, body);
  expect([answer.status, answer.body.details]).toEqual([400, field]);
});

/** Runs `mneme keys …` and returns its lines. */
async function keys(...args: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const { code, out, err } = await mneme.cli('keys', ...args, '--json');
  if (code !== 0) throw new Error(err);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('a start with a key that was revoked is refused; mneme keys is the way back in', async () => {
  const key = await create('keys', { name: 'Owner', role: 'owner' });
  mneme = await mneme.restart('SIGTERM', { MNEME_API_KEY: key.key });
  await mneme.request('DELETE', `/v3/auth/keys/${key.id}`, undefined, withKey(key));
  await expect(mneme.restart()).rejects.toThrow('MNEME_API_KEY is a key that was revoked or disabled');

  const [created] = await keys('create', '--role', 'owner');
  mneme = await mneme.restart('SIGTERM', { MNEME_API_KEY: created?.secret as string });
  const way = { key: created?.secret as string };
  expect((await mneme.get('/v3/auth/keys', withKey(way))).status).toBe(200);
});

test('mneme keys creates, lists, disables, enables and revokes keys of a running server', async () => {
  const [created] = await keys('create', '--tag', 'user-3', '--read-tag', 'handbook', '--expires-in-days', '7');
  const [id, key] = [created?.id as string, { key: created?.secret as string }];
  const tags = [
    { containerTag: 'user-3', permission: 'write' },
    { containerTag: 'handbook', permission: 'read' },
  ];
  const state = async () => (await mneme.get('/v3/session', withKey(key))).status;
  expect((await mneme.get('/v3/session', withKey(key))).body).toMatchObject({ containerTags: tags });
  const listed = (await keys('list')).find((one) => one.id === id);
  expect(listed).toMatchObject({ name: 'scoped_user-3', role: 'member', containerTags: tags, enabled: true });
  expect(JSON.stringify(listed)).not.toContain(key.key);

  await keys('disable', id);
  expect(await state()).toBe(401);
  await keys('enable', id);
  expect(await state()).toBe(200);
  await keys('revoke', id);
  expect(await state()).toBe(401);
  await expect(keys('revoke', id)).rejects.toThrow(`There is no key ${id}.`);
});

import { Mneme, OWNER_KEY } from './support/mneme.ts';

interface Entry {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly targetId: string | null;
  readonly containerTags: readonly string[];
}

interface Audit {
  readonly audit: readonly Entry[];
  readonly pagination: object;
}

let mneme: Mneme;
beforeEach(async () => {
  mneme = await Mneme.start();
});
afterEach(() => mneme?.stop());

async function audit(query = ''): Promise<Audit> {
  const { status, body } = await mneme.get<Audit>(`/v3/audit${query}`);
  expect(status).toBe(200);
  return body;
}

const entries = async (query = '') =>
  (await audit(query)).audit.map(({ actor, action, targetId, containerTags }) => [
    ...[actor, action, targetId, containerTags],
  ]);

const withKey = (key: string) => ({ authorization: `Bearer ${key}` });

test('who has changed keys and settings, and deleted what, is listed at once, the newest first, and stays', async () => {
  const owner = (await mneme.get<{ user: { id: string } }>('/v3/session')).body.user.id;
  const key = (await mneme.post<{ id: string; key: string }>('/v3/auth/keys', { name: 'desk' })).body;
  await mneme.request('PATCH', '/v3/settings', { chunkSize: 300 });
  const deleted = await mneme.addAndWait('The desk was here.', { containerTag: 'office' });
  const kept = await mneme.addAndWait('The lamp stays here.', { containerTag: 'office' });
  expect((await mneme.request('DELETE', `/v3/documents/${deleted}`, undefined, withKey(key.key))).status).toBe(204);
  await mneme.get(`/v3/documents/${kept}`);
  const direct = await mneme.post<{ memories: readonly { id: string }[] }>('/v4/memories', {
    ...{ memories: [{ content: 'Ada likes lamps.' }], containerTag: 'office' },
  });
  const memory = direct.body.memories[0]?.id;
  await mneme.request('DELETE', '/v4/memories', { id: memory, containerTag: 'office' });
  await mneme.request('DELETE', '/v3/documents/bulk', { containerTags: ['office'] });
  await mneme.request('DELETE', `/v3/auth/keys/${key.id}`);

  const [me, desk] = [`key:${owner}`, `key:${key.id}`];
  const wanted = [
    [me, 'key.revoked', key.id, []],
    [me, 'deletion.finished', expect.any(String), []],
    [me, 'deletion.requested', expect.any(String), ['office']],
    [me, 'memory.forgotten', memory, ['office']],
    [desk, 'document.deleted', deleted, ['office']],
    [me, 'settings.changed', null, []],
    [me, 'key.created', key.id, []],
  ];
  // Of the first start, in the same millisecond.
  const first = ['key.created', 'organization.created'];
  const listed = await entries();
  expect(listed.slice(0, -2)).toEqual(wanted);
  expect(listed.slice(-2).map(([actor, action]) => [actor, action])).toEqual(
    expect.arrayContaining(first.map((action) => ['system', action])),
  );
  expect(await entries(`?actor=${desk}`)).toEqual([[desk, 'document.deleted', deleted, ['office']]]);
  expect(await entries('?action=key.created&limit=1&page=2')).toEqual([['system', 'key.created', owner, []]]);

  const { audit: all, pagination } = await audit('?limit=4');
  expect(pagination).toEqual({ currentPage: 1, totalPages: 3, totalItems: listed.length, limit: 4 });
  expect(all.find(({ action }) => action === 'deletion.finished')).toMatchObject({ documents: 2 });
  const middle = all[3] as Entry;
  expect((await audit(`?to=${middle.at}`)).audit[0]).toMatchObject({ id: middle.id });
  expect((await audit(`?from=${middle.at}`)).audit.at(-1)?.at).toBe(middle.at);

  const { code, out, err } = await mneme.cli('replay', '--verify');
  expect([code, code === 0 ? '' : out + err]).toEqual([0, '']);
});

test('members, keys that only read and keys of tags do not see it, and a wrong query is refused by name', async () => {
  const keyOf = async (path: string, body: object) => (await mneme.post<{ key: string }>(path, body)).body.key;
  const refused = [
    await keyOf('/v3/auth/keys', { name: 'member' }),
    await keyOf('/v3/auth/keys', { name: 'reader', role: 'admin', permission: 'read' }),
    await keyOf('/v3/auth/scoped-key', { containerTag: 'office' }),
  ];
  for (const key of refused) expect((await mneme.get('/v3/audit', withKey(key))).status).toBe(403);
  const admin = await keyOf('/v3/auth/keys', { name: 'admin', role: 'admin' });
  expect((await mneme.get('/v3/audit', withKey(admin))).status).toBe(200);
  for (const [query, field] of [
    ['action=key.stolen', 'action'],
    ['from=yesterday', 'from'],
    ['from=2026-02-01&to=2026-01-01', 'to'],
    ['page=0', 'page'],
    ['actr=system', 'actr'],
  ]) {
    const { status, body } = await mneme.get<{ message: string }>(`/v3/audit?${query}`, withKey(OWNER_KEY));
    expect([status, body.message]).toEqual([400, expect.stringContaining(field as string)]);
  }
});

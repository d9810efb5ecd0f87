import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { untilErased } from './support/erasure.ts';
import { eventually, INSTALLATION_KEY, Mneme } from './support/mneme.ts';

const ENV = { MNEME_INSTALLATION_KEY: INSTALLATION_KEY, MNEME_METRICS: 'on' };

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start({ env: ENV });
});
afterAll(() => mneme?.stop());

interface Created {
  readonly id: string;
  readonly key: string;
}

const withKey = (key: string) => ({ authorization: `Bearer ${key}` });
const AS_OPERATOR = withKey(INSTALLATION_KEY);

async function create(name: string): Promise<Created> {
  const answer = await mneme.post<Created>('/v3/organizations', { name }, AS_OPERATOR);
  expect(answer).toMatchObject({
    status: 200,
    body: { name, state: 'active', key: expect.stringMatching(/^sm_\S{17,}$/) },
  });
  return answer.body;
}

async function listed(): Promise<Readonly<Record<string, string>>> {
  const { body } = await mneme.get<{ organizations: { id: string; state: string }[] }>(
    '/v3/organizations',
    AS_OPERATOR,
  );
  return Object.fromEntries(body.organizations.map(({ id, state }) => [id, state]));
}

const change = (id: string, body: object) => mneme.request('PATCH', `/v3/organizations/${id}`, body, AS_OPERATOR);
const remove = (id: string) => mneme.request('DELETE', `/v3/organizations/${id}`, undefined, AS_OPERATOR);
const session = (key: string) => mneme.get('/v3/session', withKey(key));

/** Adds a document with a key, and waits until it is found. */
async function add({ key }: Created, content: string, fields: object = {}): Promise<string> {
  const { body } = await mneme.post<{ id: string }>('/v3/documents', { content, ...fields }, withKey(key));
  await eventually(async () => {
    const { body: record } = await mneme.get(`/v3/documents/${body.id}`, withKey(key));
    return record.status === 'done' ? true : null;
  });
  return body.id;
}

/** Another process may accept keys for half a minute. */
const GONE_WITHIN_MS = 120_000;
const isGone = (id: string) => eventually(async () => (id in (await listed()) ? null : true), GONE_WITHIN_MS);

async function cli(...args: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const { code, out, err } = await mneme.cli(...args, '--json');
  expect([code, err]).toEqual([0, '']);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('the key of the installation opens the routes of organizations and nothing else; no other key opens them', async () => {
  expect((await mneme.get('/v3/organizations', withKey('sm_no_key_of_this_installation'))).status).toBe(401);
  expect(await mneme.get('/v3/organizations')).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  expect(await mneme.post('/v3/organizations', { name: 'x' })).toMatchObject({ status: 403 });
  for (const path of ['/v3/session', '/v3/documents/x', '/v3/settings', '/v3/auth/keys', '/v3/events']) {
    expect([path, (await mneme.get(path, AS_OPERATOR)).status]).toEqual([path, 403]);
  }
  expect((await mneme.post('/v4/search', { q: 'x' }, AS_OPERATOR)).status).toBe(403);
  expect((await mneme.get('/v3/health', AS_OPERATOR)).status).toBe(200);
  expect(await mneme.post('/v3/organizations', {}, AS_OPERATOR)).toMatchObject({
    status: 400,
    body: { details: 'name' },
  });
  expect((await change('x', { name: 'y' })).status).toBe(404);
  expect((await remove('x')).status).toBe(404);
});

test('a new organization has nothing, and what its key adds is its own', async () => {
  const harbour = await create('North Harbour');
  expect((await session(harbour.key)).body).toMatchObject({ org: { id: harbour.id }, role: 'owner' });
  expect((await mneme.get('/v3/account/memberships', withKey(harbour.key))).body).toEqual({
    memberships: [{ orgId: harbour.id, orgName: 'North Harbour', role: 'owner' }],
  });
  const own = await add(harbour, 'The lighthouse keeper has a heron.', { customId: 'note', containerTag: 'home' });
  const first = await mneme.addAndWait('The gardener has a heron.', { customId: 'note', containerTag: 'home' });
  expect(first).not.toBe(own);
  expect((await mneme.get(`/v3/documents/${first}`, withKey(harbour.key))).status).toBe(404);
  expect((await mneme.get(`/v3/documents/${own}`)).status).toBe(404);
  expect((await mneme.get('/v3/documents/note', withKey(harbour.key))).body.id).toBe(own);
  // They count the requests of all organizations.
  expect((await mneme.get('/metrics')).status).toBe(403);
  expect((await mneme.get('/metrics', AS_OPERATOR)).status).toBe(200);
  expect(await change(harbour.id, { name: 'Harbour' })).toMatchObject({ status: 200, body: { name: 'Harbour' } });
  expect((await mneme.get('/v3/me', withKey(harbour.key))).body).toMatchObject({ orgName: 'Harbour' });
});

test('the keys of a suspended organization are refused with 403, also on open streams, until it is resumed', async () => {
  const created = await create('Suspended');
  const id = await add(created, 'A kestrel nests in the tower.');
  const stream = await fetch(`${mneme.url}/v3/events`, { headers: withKey(created.key) });
  const ended = stream.text();
  expect(await change(created.id, { suspended: true })).toMatchObject({ status: 200, body: { state: 'suspended' } });
  expect(await session(created.key)).toMatchObject({ status: 403, body: { code: 'organization_suspended' } });
  await ended;
  expect((await mneme.get('/v3/session')).status).toBe(200);
  mneme = await mneme.restart();
  expect((await session(created.key)).status).toBe(403);
  expect((await change(created.id, { suspended: false })).body.state).toBe('active');
  expect((await mneme.get(`/v3/documents/${id}`, withKey(created.key))).body).toMatchObject({ id, status: 'done' });
});

/** How many requests of an organization are in the analytics. */
function figuresOf(organization: string): number {
  const db = new DatabaseSync(join(mneme.folder, 'analytics.db'), { readOnly: true });
  try {
    const counted = db.prepare('SELECT count(*) AS requests FROM requests WHERE organization = ?').get(organization);
    return Number(counted?.requests);
  } finally {
    db.close();
  }
}

test('of a deleted organization nothing is left, and the others notice nothing', async () => {
  const doomed = await create('Okapi Press');
  const kept = await create('Kept');
  const auth = withKey(doomed.key);
  const fields = { customId: 'same', containerTag: 'quagga', metadata: { animal: 'numbat' } };
  const id = await add(doomed, 'The pangolin sleeps in the archive.', fields);
  await mneme.post(
    '/v4/memories',
    { memories: [{ content: 'Mara fears the axolotl.' }], containerTag: 'quagga' },
    auth,
  );
  await mneme.request('PATCH', '/v3/container-tags/quagga', { entityContext: 'About a wombat.' }, auth);
  await mneme.request('PATCH', '/v3/settings', { workspacePrompt: 'Think of the tarsier.' }, auth);
  await mneme.post('/v3/auth/keys', { name: 'key of the fossa' }, auth);
  await mneme.post('/v3/team/invitations', { email: 'quokka@example.com', role: 'admin' }, auth);
  const file = new FormData();
  file.append('file', new Blob(['The binturong is in a file.']), 'zorilla.txt');
  const upload = await mneme.post<{ id: string }>('/v3/documents/file', file, auth);
  const link = await eventually(async () => {
    const { status, body } = await mneme.get<{ url: string }>(`/v3/documents/${upload.body.id}/file-url`, auth);
    return status === 200 ? body.url : null;
  });
  const same = await add(kept, 'The pangolin sleeps in the library.', { ...fields, metadata: { animal: 'kea' } });

  expect(await remove(doomed.id)).toMatchObject({ status: 202, body: { id: doomed.id, state: 'deleting' } });
  expect((await session(doomed.key)).status).toBe(401);
  expect((await fetch(link)).status).toBe(404);
  await isGone(doomed.id);
  const words = [
    'archive',
    'numbat',
    'axolotl',
    'wombat',
    'tarsier',
    'fossa',
    'binturong',
    'zorilla',
    'quokka',
    'Okapi',
  ];
  await untilErased(mneme, words);
  await eventually(async () => (figuresOf(doomed.id) === 0 ? true : null));
  expect(figuresOf(kept.id)).toBeGreaterThan(0);
  expect((await remove(doomed.id)).status).toBe(404);

  expect((await mneme.get('/v3/documents/same', withKey(kept.key))).body).toMatchObject({ id: same, status: 'done' });
  mneme = await mneme.restart();
  expect((await session(doomed.key)).status).toBe(401);
  const found = await mneme.post<{ results: unknown[] }>('/v4/search', { q: 'pangolin' }, withKey(kept.key));
  expect(JSON.stringify(found.body.results)).toContain('library');
  expect((await mneme.get(`/v3/documents/${id}`)).status).toBe(404);
});

test('a deletion that a crash interrupts is finished after the next start', async () => {
  const doomed = await create('Crash');
  const contents = Array.from({ length: 400 }, (_, i) => ({ content: `The dugong ${i} crosses the bay.` }));
  const batch = { documents: contents, containerTag: 'bay' };
  expect((await mneme.post('/v3/documents/batch', batch, withKey(doomed.key))).status).toBe(200);
  expect((await remove(doomed.id)).status).toBe(202);
  mneme = await mneme.restart('SIGKILL');
  expect((await session(doomed.key)).status).toBe(401);
  await isGone(doomed.id);
  await untilErased(mneme, ['dugong']);
});

test('the commands work beside a server, and name an organization where there are several', async () => {
  const [created] = await cli('organizations', 'create', 'By command');
  const id = String(created?.id);
  expect((await session(String(created?.secret))).body).toMatchObject({ org: { id } });
  expect(await cli('organizations', 'list')).toContainEqual({
    ...{ id, name: 'By command', state: 'active', createdAt: expect.any(Number) },
  });
  expect(await mneme.cli('keys', 'list')).toMatchObject({ code: 1, err: expect.stringContaining('--organization') });
  const [key] = await cli('keys', 'create', '--role', 'admin', '--organization', id);
  expect((await session(String(key?.secret))).body).toMatchObject({ org: { id }, role: 'admin' });
  expect((await cli('keys', 'list', '--organization', id)).map(({ role }) => role)).toEqual(['owner', 'admin']);
  await cli('keys', 'revoke', String(key?.id));
  expect((await session(String(key?.secret))).status).toBe(401);
  await cli('organizations', 'suspend', id);
  expect((await session(String(created?.secret))).status).toBe(403);
  await cli('organizations', 'resume', id);
  expect((await session(String(created?.secret))).status).toBe(200);
  expect(await mneme.cli('organizations', 'delete', id)).toMatchObject({
    code: 1,
    err: expect.stringContaining('Nothing is deleted'),
  });
  expect((await cli('organizations', 'delete', id, '--yes')).at(-1)).toEqual({ id, phase: 'done', done: true });
  expect((await session(String(created?.secret))).status).toBe(401);
  expect(id in (await listed())).toBe(false);
  expect(await mneme.cli('organizations', 'suspend', id)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`There is no organization ${id}`),
  });
});

test('two organizations that import one export have documents of the same ids, and each deletes its own', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-organizations-'));
  try {
    const [from, to] = [await create('From'), await create('To')];
    const id = await add(from, 'The marmot whistles at noon.', { customId: 'marmot', containerTag: 'alps' });
    await cli('export', join(folder, 'export'), '--organization', from.id);
    expect((await cli('import', join(folder, 'export'), '--organization', to.id)).at(-1)).toMatchObject({
      imported: 1,
    });
    const found = async ({ key }: Created) => {
      const { body } = await mneme.post<{ results: unknown[] }>('/v4/search', { q: 'marmot' }, withKey(key));
      return body.results.length;
    };
    await eventually(async () => ((await found(to)) === 1 ? true : null));
    expect(await mneme.cli('events', '--document', id)).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('--organization') },
    });
    expect((await cli('events', '--document', id, '--organization', to.id)).length).toBeGreaterThan(1);
    expect((await mneme.request('DELETE', `/v3/documents/${id}`, undefined, withKey(from.key))).status).toBe(204);
    expect([await found(from), await found(to)]).toEqual([0, 1]);
    expect((await mneme.get('/v3/documents/marmot', withKey(to.key))).body).toMatchObject({ id, status: 'done' });
    await remove(from.id);
    await isGone(from.id);
    expect(await found(to)).toBe(1);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('without a server a deletion is recorded, and the next start finishes it', async () => {
  const [created] = await cli('organizations', 'create', 'Later');
  const doomed = { id: String(created?.id), key: String(created?.secret) };
  await add(doomed, 'The saiga waits for the thaw.');
  await mneme.kill('SIGTERM');
  expect(await cli('organizations', 'delete', doomed.id, '--yes')).toEqual([
    { id: doomed.id, phase: 'done', done: false },
  ]);
  expect(await cli('organizations', 'list')).toContainEqual(
    expect.objectContaining({ id: doomed.id, state: 'deleting' }),
  );
  mneme = await mneme.restart();
  expect((await session(doomed.key)).status).toBe(401);
  await isGone(doomed.id);
  await untilErased(mneme, ['saiga']);
});

test('the only organization cannot be deleted, and its owner reads the metrics', async () => {
  const alone = await Mneme.start({ env: ENV });
  try {
    const { body } = await alone.get<{ organizations: { id: string }[] }>('/v3/organizations', AS_OPERATOR);
    expect(body.organizations).toHaveLength(1);
    expect((await alone.get('/metrics')).status).toBe(200);
    const answer = await alone.request(
      'DELETE',
      `/v3/organizations/${body.organizations[0]?.id}`,
      undefined,
      AS_OPERATOR,
    );
    expect(answer).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(answer.headers.get('x-should-retry')).toBe('false');
  } finally {
    await alone.stop();
  }
});

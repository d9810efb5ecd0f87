import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runMneme } from './support/command.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** GET /v3/analytics/*: what is requested, what fails, and that none of it holds what callers write. */

interface Figures {
  readonly count: number;
  readonly avgDuration: number;
  readonly p50Duration: number;
  readonly p95Duration: number;
}
interface Usage {
  readonly usage: readonly (Figures & { readonly type: string; readonly lastUsed: string })[];
  readonly hourly: readonly (Figures & { readonly hour: string })[];
  readonly byKey: readonly (Figures & { readonly keyId: string; readonly keyName: string | null })[];
  readonly totalMemories: number;
  readonly pagination: { readonly totalItems: number };
}
interface Log {
  readonly logs: readonly {
    readonly type: string;
    readonly statusCode: number;
    readonly keyId: string;
    readonly input: object;
    readonly output: object;
  }[];
  readonly pagination: { readonly totalItems: number };
}

/** A second, and what a busy machine may add to it. */
const GRACE_MS = 3_000;

let mneme: Mneme;
beforeEach(async () => {
  mneme = await Mneme.start();
});
afterEach(() => mneme.stop());

interface Key {
  readonly id: string;
  readonly key: string;
}

const created = async (kind: 'keys' | 'scoped-key', fields: object) =>
  (await mneme.post<Key & Record<string, unknown>>(`/v3/auth/${kind}`, fields)).body;
const withKey = ({ key }: Key) => ({ authorization: `Bearer ${key}` });

const usage = async (query = '') => (await mneme.get<Usage>(`/v3/analytics/usage${query}`)).body;
const logs = async (query = '') => (await mneme.get<Log>(`/v3/analytics/logs${query}`)).body;
const countOf = async (type: string) => (await usage()).usage.find((one) => one.type === type)?.count ?? 0;
/** Figures appear a second after their requests. They may be read a hundred times a minute. */
const counted = (type: string, count: number) =>
  eventually(async () => {
    if ((await countOf(type)) === count) return true;
    await pause(250);
    return null;
  });

test('requests are counted by type, hour and key, with their durations, also after a restart', async () => {
  const key = await created('keys', { name: 'Reports' });
  for (let i = 0; i < 3; i += 1) {
    await mneme.add(`The heron stands in pond ${i}.`);
    await mneme.post('/v4/search', { q: 'heron' }, withKey(key));
  }
  await mneme.post('/v3/search', { q: 'heron' });
  await mneme.post('/v4/profile', { containerTag: 'sm_project_default' });
  await counted('fast_search', 1);
  const before = await usage('?period=1h');
  expect(before.usage).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'add', count: 3 }),
      expect.objectContaining({ type: 'search_v4', count: 3 }),
      expect.objectContaining({ type: 'search', count: 1 }),
    ]),
  );
  for (const { avgDuration, p50Duration, p95Duration, lastUsed } of before.usage) {
    expect(avgDuration).toBeGreaterThan(0);
    expect(p95Duration).toBeGreaterThanOrEqual(p50Duration);
    expect(Math.abs(Date.now() - Date.parse(lastUsed))).toBeLessThan(600_000);
  }
  const ofKey = before.byKey.find(({ keyId }) => keyId === key.id);
  expect(ofKey).toMatchObject({ keyName: 'Reports', count: 3 });
  const inAll = (rows: readonly Figures[]) => rows.reduce((sum, { count }) => sum + count, 0);
  expect(inAll(before.hourly)).toBe(inAll(before.usage));
  expect(inAll(before.byKey)).toBe(inAll(before.usage));
  expect(before.pagination).toEqual({ currentPage: 1, totalPages: 1, totalItems: 2, limit: 20 });
  const page = await usage('?limit=1&page=2');
  expect(page.byKey).toHaveLength(1);
  expect(page.pagination).toEqual({ currentPage: 2, totalPages: 2, totalItems: 2, limit: 1 });

  await mneme.request('DELETE', `/v3/auth/keys/${key.id}`);
  mneme = await mneme.restart();
  const after = await usage();
  expect(after.byKey.find(({ keyId }) => keyId === key.id)).toMatchObject({ keyName: null, count: 3 });
  expect(after.usage.find(({ type }) => type === 'add')).toEqual(before.usage.find(({ type }) => type === 'add'));
});

test('errors are counted by type, status and hour', async () => {
  const scoped = await created('scoped-key', { containerTag: 'user-1' });
  await mneme.add('The heron waits.');
  for (let i = 0; i < 2; i += 1) await mneme.post('/v3/documents', { content: 7 });
  await mneme.post('/v3/documents', { content: 'x', containerTag: 'user-2' }, withKey(scoped));
  await mneme.post('/v4/search', {});
  await mneme.get('/v3/documents/none');
  await counted('search_v4', 1);
  const { body } = await mneme.get<Record<string, unknown>>('/v3/analytics/errors');
  expect(body).toMatchObject({
    totalErrors: 5,
    topErrors: [
      { type: 'add', count: 3, statusCodes: [400, 403] },
      { type: 'request', count: 1, statusCodes: [404] },
      { type: 'search_v4', count: 1, statusCodes: [400] },
    ],
    byStatusCode: { 400: 3, 403: 1, 404: 1 },
    pagination: { currentPage: 1, totalPages: 1, totalItems: 3, limit: 20 },
  });
  expect(body.errorRate).toBeGreaterThan(0);
  expect(body.errorRate).toBeLessThan(1);
  const timeline = body.timeline as { readonly count: number; readonly types: readonly string[] }[];
  expect(timeline.reduce((sum, { count }) => sum + count, 0)).toBe(5);
  expect(new Set(timeline.flatMap(({ types }) => types))).toEqual(new Set(['add', 'request', 'search_v4']));
});

test('single requests are listed by type, status and key, the newest first', async () => {
  const key = await created('keys', { name: 'Reports' });
  for (let i = 0; i < 3; i += 1) await mneme.add(`The heron stands in pond ${i}.`);
  await mneme.post('/v3/documents', { content: 7 }, withKey(key));
  await counted('add', 4);
  const adds = await logs('?type=add');
  expect(adds.pagination.totalItems).toBe(4);
  expect(adds.logs[0]).toEqual({
    ...{ id: expect.any(String), createdAt: expect.any(String), duration: expect.any(Number) },
    ...{ type: 'add', statusCode: 400, keyId: key.id },
    input: { method: 'POST', route: '/v3/documents', bytes: 13 },
    output: { bytes: expect.any(Number), code: 'invalid_request' },
  });
  expect((await logs('?type=add&statusCode=200&limit=2&page=2')).logs).toHaveLength(1);
  expect((await logs(`?keyId=${key.id}`)).pagination.totalItems).toBe(1);
  expect((await logs('?from=2020-01-01&to=2020-01-02')).logs).toEqual([]);
  expect((await mneme.get('/v3/analytics/logs?page=9')).body).toMatchObject({ logs: [] });
});

test('totals grow with what is added and searched', async () => {
  await mneme.addAndWait('The heron waits.');
  await mneme.post('/v4/search', { q: 'heron' });
  const site = { containerTag: 'site', metadata: { startUrl: 'http://127.0.0.1:9/' } };
  expect((await mneme.post('/v3/connections/web-crawler', site)).status).toBe(200);
  await counted('search_v4', 1);
  const { body } = await mneme.get('/v3/analytics/memory');
  expect(body).toEqual({
    ...{ totalMemories: 1, totalConnections: 1, searchQueries: 1, tokensProcessed: 0 },
    ...{ memoriesGrowth: 100, connectionsGrowth: 100, searchGrowth: 100, tokensGrowth: 0 },
  });
});

test.each([
  ['usage?from=yesterday', 'from'],
  ['usage?to=2026-02-30', 'to'],
  ['usage?from=2026-02-02&to=2026-02-01', 'from'],
  ['errors?from=2025-01-01&to=2026-01-01', 'from'],
  ['errors?period=2h', 'period'],
  ['memory?period=1h&from=2026-02-01', 'period'],
  ['usage?limit=0', 'limit'],
  ['errors?page=x', 'page'],
  ['logs?type=searching', 'type'],
  ['logs?statusCode=bad', 'statusCode'],
])('%s is refused, and %s is named', async (path, field) => {
  const { status, body } = await mneme.get(`/v3/analytics/${path}`);
  expect([status, body.details]).toEqual([400, field]);
});

test('a scoped key reads no figures, and an organization asks at most 100 times a minute', async () => {
  const scoped = await created('scoped-key', { containerTag: 'user-1' });
  for (const path of ['usage', 'errors', 'logs', 'memory']) {
    expect((await mneme.get(`/v3/analytics/${path}`, withKey(scoped))).status).toBe(403);
  }
  const other = await created('keys', { name: 'Other' });
  const statuses: number[] = [];
  for (let i = 0; i < 51; i += 1) {
    statuses.push((await mneme.get('/v3/analytics/memory')).status);
    statuses.push((await mneme.get('/v3/analytics/errors', withKey(other))).status);
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(100);
  const refused = await mneme.get('/v3/analytics/usage');
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await mneme.get('/v3/session')).status).toBe(200);
});

test('a killed server loses at most the requests of the last second', async () => {
  const answered: number[] = [];
  const begun = performance.now();
  while (performance.now() - begun < GRACE_MS + 2_000) {
    expect((await mneme.get('/v3/projects')).status).toBe(200);
    answered.push(performance.now());
  }
  const killedAt = performance.now();
  mneme = await mneme.restart('SIGKILL');
  const early = answered.filter((time) => time < killedAt - GRACE_MS).length;
  expect(await countOf('request')).toBeGreaterThanOrEqual(early);
  expect((await logs('?type=request')).pagination.totalItems).toBeGreaterThanOrEqual(early);
});

test('the files hold nothing that callers write', async () => {
  const secret = 'wintergreen';
  const headers = { 'x-request-id': `${secret}-id`, 'x-sm-source': secret, 'idempotency-key': secret };
  const written = { customId: `${secret}-1`, containerTag: `${secret}-tag`, metadata: { [secret]: secret } };
  await mneme.post('/v3/documents', { content: `A ${secret} leaf.`, ...written }, headers);
  await mneme.post('/v3/search', { q: secret, containerTag: `${secret}-tag` }, headers);
  await mneme.post('/v4/search', { q: secret, filters: { AND: [{ key: secret, value: secret }] } }, headers);
  await mneme.post('/v4/profile', { q: secret, containerTag: `${secret}-tag` }, headers);
  await mneme.get(`/v3/documents/${secret}-1?containerTag=${secret}-tag`, headers);
  await mneme.get(`/v3/container-tags/${secret}-tag`, headers);
  await mneme.request('PATCH', `/v3/documents/${secret}-1`, { metadata: { [secret]: secret } }, headers);
  await mneme.request('DELETE', `/v3/documents/${secret}-1`, undefined, headers);
  await mneme.get(`/${secret}/none?${secret}=${secret}`, headers);
  await counted('delete', 1);
  expect(JSON.stringify(await logs())).not.toContain(secret);
  const files = (await readdir(mneme.folder)).filter((name) => name.startsWith('analytics.db'));
  expect(files).toContain('analytics.db');
  for (const file of files) {
    expect((await readFile(join(mneme.folder, file))).includes(secret)).toBe(false);
  }
});

test('a backup holds the figures, a rebuild of the views keeps them, and an export has none', async () => {
  for (let i = 0; i < 3; i += 1) await mneme.add(`The heron stands in pond ${i}.`);
  await counted('add', 3);
  const folder = await mkdtemp(join(tmpdir(), 'mneme-analytics-'));
  try {
    expect((await mneme.cli('replay')).code).toBe(0);
    expect(await countOf('add')).toBe(3);
    expect((await mneme.cli('export', join(folder, 'export'))).code).toBe(0);
    expect((await readdir(join(folder, 'export'))).filter((name) => name.includes('analytics'))).toEqual([]);
    expect((await mneme.cli('backup', join(folder, 'backup'))).code).toBe(0);
    await mneme.stop();
    const restored = await runMneme(['restore', join(folder, 'backup')], { folder: join(folder, 'data'), env: {} });
    expect(restored.code).toBe(0);
    mneme = await Mneme.start({ folder: join(folder, 'data') });
    expect(await countOf('add')).toBe(3);
    expect((await logs('?type=add')).pagination.totalItems).toBe(3);
    await mneme.stop();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('without room nothing is recorded, and the answers are empty', async () => {
  mneme = await mneme.restart('SIGTERM', { MNEME_ANALYTICS_MB: '0' });
  await mneme.add('The heron waits.');
  mneme = await mneme.restart('SIGTERM', { MNEME_ANALYTICS_MB: undefined });
  expect(await usage()).toMatchObject({ usage: [], hourly: [], byKey: [] });
  expect((await logs()).pagination.totalItems).toBe(0);
});

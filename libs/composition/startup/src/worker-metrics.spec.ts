import { type ApiKeys, generateKey, IssuedKeys, type StoredKeys } from '#features/access';
import type { OrganizationId, Role } from '#platform/kernel';
import { type Metrics, openMetrics } from '#platform/telemetry';
import { issuedKey } from '../../../features/access/src/testing.ts';
import { jsonAnswer, serveStatus } from './status-server.ts';
import { metricsRoute } from './worker-metrics.ts';

const INSTALLATION_KEY = 'sm_key_of_the_installation';
const organization = 'acme' as OrganizationId;
const owner = generateKey(organization);
const member = generateKey(organization);
const keyOf = (role: Role, { hash }: { readonly hash: string }) => issuedKey({ id: role, role, hash });
const application = generateKey(organization);
const grant = {
  ...{ client: { id: 'https://app.example/client.json', name: 'App' }, former: null },
  ...{ accessUntil: Number.POSITIVE_INFINITY, refreshHash: 'r', refreshUntil: Number.POSITIVE_INFINITY },
};
const ofApplication = { ...keyOf('owner', application), id: 'application', grant };
const keys = new IssuedKeys([keyOf('owner', owner), keyOf('member', member), ofApplication]);

let server: Awaited<ReturnType<typeof serveStatus>>;
let read: () => Promise<ApiKeys>;

beforeEach(async () => {
  read = async () => keys;
  const metrics = (await openMetrics('on')) as Metrics;
  server = await serveStatus(
    { host: '127.0.0.1', port: 0 },
    {
      '/v3/health': async () => jsonAnswer(200, { status: 'ok' }),
      '/metrics': metricsRoute(metrics, { read: () => read() } as StoredKeys, INSTALLATION_KEY),
    },
  );
});
afterEach(() => server.close());

const get = (path: string, secret?: string) =>
  fetch(server.url + path, { headers: secret === undefined ? {} : { authorization: `Bearer ${secret}` } });

test('metrics need the owner key', async () => {
  expect((await get('/metrics')).status).toBe(401);
  expect((await get('/metrics', generateKey(organization).secret)).status).toBe(401);
  expect((await get('/metrics', member.secret)).status).toBe(403);
  expect((await get('/metrics', application.secret)).status).toBe(403);
  const answer = await get('/metrics', owner.secret);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch('text/plain; version=0.0.4');
  expect(await answer.text()).toContain('# TYPE mneme_projection_lag_seconds gauge');
});

test('with several organizations metrics need the key of the installation', async () => {
  const several = new IssuedKeys([keyOf('owner', owner)]);
  for (const id of ['acme', 'other'] as OrganizationId[]) {
    const one = { id, name: id, state: 'active', createdAt: 0 } as const;
    several.organizations.set(id, { status: 'present', organization: one }, 0);
  }
  expect((await get('/metrics', INSTALLATION_KEY)).status).toBe(200);
  read = async () => several;
  expect((await get('/metrics', owner.secret)).status).toBe(403);
  expect((await get('/metrics', INSTALLATION_KEY)).status).toBe(200);
});

test('metrics are unavailable while the keys cannot be read; the health is answered', async () => {
  read = () => Promise.reject(new Error('away'));
  expect((await get('/metrics', owner.secret)).status).toBe(503);
  expect((await get('/v3/health')).status).toBe(200);
});

test('other paths and methods are not answered', async () => {
  const message = 'A worker answers GET /v3/health, /metrics only';
  for (const answer of [
    await get('/v3/documents', owner.secret),
    await fetch(`${server.url}/v3/health`, { method: 'POST' }),
  ]) {
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toEqual({ error: message, message, code: 'not_found' });
  }
});

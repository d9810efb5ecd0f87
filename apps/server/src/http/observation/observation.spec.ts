import type { AddressInfo } from 'node:net';
import { API_KEYS, generateKey, type IssuedKeys } from '#features/access';
import type { Role } from '#platform/kernel';
import { openMetrics } from '#platform/telemetry';
import { issuedKey } from '../../../../../libs/features/access/src/testing.ts';
import { until } from '../../../../../libs/platform/kernel/src/testing/eventually.ts';
import { startTestApp, type TestApp } from '../testing/fake-application.ts';
import { ORGANIZATION } from '../testing/fixtures.ts';

interface Line {
  readonly level: 'debug' | 'info' | 'warn';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const lines: Line[] = [];
const logger = {
  debug: (message: string, fields: object = {}) => lines.push({ level: 'debug', message, fields: { ...fields } }),
  info: (message: string, fields: object = {}) => lines.push({ level: 'info', message, fields: { ...fields } }),
  warn: (message: string) => lines.push({ level: 'warn', message, fields: {} }),
};

/** Stands still, so that a slow test stays within a minute. */
const clock = { now: () => 0 };

const apps: TestApp[] = [];
afterEach(async () => {
  lines.length = 0;
  await Promise.all(apps.splice(0).map(({ app }) => app.close()));
});

async function serve(setting: 'on' | 'off') {
  const metrics = await openMetrics(setting);
  const started = await startTestApp({ logger: logger as never, metrics, clock });
  apps.push(started);
  await started.app.listen(0, '127.0.0.1');
  const { port } = started.app.getHttpServer().address() as AddressInfo;
  const send = (path: string, init: RequestInit = {}, secret = started.secret) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...init.headers },
    });
  return { ...started, metrics, send };
}

/** Returns the secret of a new key with the role. */
function issueKey({ app }: Pick<TestApp, 'app'>, role: Role): string {
  const { secret, hash } = generateKey(ORGANIZATION);
  const key = issuedKey({ id: role, organization: ORGANIZATION, role, hash });
  app.get<IssuedKeys>(API_KEYS, { strict: false }).set(role, { status: 'issued', key }, 0);
  return secret;
}

/** The hook runs after the answer has been sent. */
async function loggedLines(count: number): Promise<readonly Line[]> {
  return until(
    () => lines,
    ({ length }) => length >= count,
  );
}

describe('request log', () => {
  test('a successful request is one debug line with its route, status, duration and id', async () => {
    const { send } = await serve('off');
    await send('/v3/documents/secret-id', { headers: { 'x-request-id': 'request-1' } });
    expect(await loggedLines(1)).toEqual([
      {
        level: 'debug',
        message: 'request',
        fields: {
          method: 'GET',
          route: '/v3/documents/:id',
          status: 200,
          milliseconds: expect.any(Number),
          requestId: 'request-1',
        },
      },
    ]);
    expect(lines[0]?.fields.milliseconds).toBeGreaterThan(0);
  });

  test.each([
    ['a refused body', '/v3/documents', { method: 'POST', body: '{"content": 7, "secret": "secret"}' }, 400],
    ['an unknown path', '/secret/path?secret=1', {}, 404],
    ['a missing key', '/v3/documents/secret', { headers: { authorization: 'Bearer secret' } }, 401],
  ])('%s is one info line', async (_, path, init, status) => {
    const { send } = await serve('off');
    expect((await send(path, init as RequestInit)).status).toBe(status);
    expect(await loggedLines(1)).toMatchObject([{ level: 'info', fields: { status } }]);
  });

  test('a fault is one info line', async () => {
    const { send, fake } = await serve('off');
    fake.fault = new Error('secret fault');
    expect((await send('/v3/documents/secret')).status).toBe(500);
    expect(await loggedLines(1)).toMatchObject([{ level: 'info', fields: { status: 500 } }]);
  });

  test('holds neither URL, query, key nor content', async () => {
    const { send, secret } = await serve('off');
    await send('/v3/documents/secret-id?secret=query');
    await send('/secret/path?secret=query');
    await send('/v3/documents', { method: 'POST', body: '{"content": "secret content", "containerTag": "secret"}' });
    await send('/v4/search', { method: 'POST', body: '{"q": "secret question", "containerTag": "secret"}' });
    const log = JSON.stringify(await loggedLines(4));
    expect(log).not.toContain('secret');
    expect(log).not.toContain('query');
    expect(log).not.toContain(secret);
  });
});

describe('wrong keys', () => {
  const wrong = 'sm_acme_secret_that_is_no_key_0123';

  test('are always 401; those beyond 20 a minute from one address are counted, and one line is logged', async () => {
    const { send } = await serve('on');
    const statuses = new Set<number>();
    for (let i = 0; i < 30; i += 1) statuses.add((await send('/v3/session', {}, `${wrong}${i}`)).status);
    expect([...statuses]).toEqual([401]);
    const warnings = lines.filter(({ level }) => level === 'warn');
    expect(warnings).toEqual([{ level: 'warn', message: expect.stringContaining('from 127.0.0.1'), fields: {} }]);
    expect(await (await send('/metrics')).text()).toContain('mneme_wrong_keys_total 10');
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  test('a valid key is accepted from the same address, and requests without a key are not counted', async () => {
    const { send } = await serve('on');
    for (let i = 0; i < 30; i += 1) expect((await send('/v3/session', {}, wrong)).status).toBe(401);
    for (let i = 0; i < 3; i += 1) {
      expect((await send('/v3/session', { headers: { authorization: '' } })).status).toBe(401);
    }
    expect((await send('/v3/session')).status).toBe(200);
    expect(await (await send('/metrics')).text()).toContain('mneme_wrong_keys_total 10');
  });
});

describe('GET /metrics', () => {
  test('is not there when metrics are off', async () => {
    const { send, metrics } = await serve('off');
    expect(metrics).toBeNull();
    expect((await send('/metrics')).status).toBe(404);
  });

  test('needs the owner key', async () => {
    const { send, app } = await serve('on');
    const member = issueKey({ app }, 'member');
    const admin = issueKey({ app }, 'admin');
    const statuses = [
      (await send('/metrics', { headers: { authorization: '' } })).status,
      (await send('/metrics', {}, 'sm_unknown_0123456789abcdef')).status,
      (await send('/metrics', {}, member)).status,
      (await send('/metrics', {}, admin)).status,
      (await send('/metrics')).status,
    ];
    expect(statuses).toEqual([401, 401, 403, 403, 200]);
  });

  test('reports requests by method, route pattern and status in the Prometheus text format', async () => {
    const { send } = await serve('on');
    await send('/v3/documents/secret-id?secret=query');
    await send('/v3/documents/other-id');
    await send('/secret/path');
    await loggedLines(3);
    const answer = await send('/metrics');
    const text = await answer.text();
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toContain(
      'mneme_http_request_duration_seconds_count{method="GET",route="/v3/documents/:id",status="200"} 2',
    );
    expect(text).toContain('mneme_http_request_duration_seconds_count{method="GET",route="(none)",status="404"} 1');
    expect(text).not.toContain('secret');
  });

  test('is no part of the description of the API', async () => {
    const { call } = await serve('on');
    expect(Object.keys((await call('GET', '/v3/openapi')).body.paths)).not.toContain('/metrics');
  });
});

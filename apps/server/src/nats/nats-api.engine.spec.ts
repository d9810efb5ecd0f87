import { headers, type NatsConnection } from '@nats-io/nats-core';
import { AddDocument } from '#features/documents/use-cases';
import { SearchMemories } from '#features/search/use-cases';
import { newId } from '#platform/kernel';
import { connectNats } from '#platform/nats';
import { testNatsUrl } from '../../../../libs/platform/nats/src/testing/nats-server.ts';
import { startTestApp, type TestApp } from '../http/testing/fake-application.ts';
import { type HttpFront, NatsApi } from './nats-api.ts';

const logger = { error: () => undefined };
let http: TestApp;
let connection: NatsConnection;
let prefix: string;
let apis: NatsApi[];

beforeAll(async () => {
  connection = await connectNats({ url: testNatsUrl(), name: 'test' });
});
afterAll(() => connection.close());
beforeEach(() => {
  prefix = `test${newId().replaceAll(/[-_]/g, '')}`;
  apis = [];
});
afterEach(async () => {
  await Promise.all(apis.map((api) => api.close()));
});

function serve(front: HttpFront): NatsApi {
  const api = new NatsApi({ connection, http: front, logger, prefix });
  apis.push(api);
  return api;
}

async function ask(name: string, body: unknown, given: Readonly<Record<string, string>> = {}) {
  const carried = headers();
  for (const [key, value] of Object.entries(given)) carried.set(key, value);
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await connection.request(`${prefix}.api.${name}`, payload, { headers: carried, timeout: 5_000 });
  return { status: Number(answer.headers?.get('Status')), headers: answer.headers, body: answer.json<object>() };
}

describe('in front of the real HTTP application', () => {
  beforeAll(async () => {
    http = await startTestApp();
  });
  afterAll(() => http.app.close());
  beforeEach(() => {
    Object.assign(http.fake, { asked: [], fault: null, refusal: null });
    serve(http.app);
  });

  const post = async (url: string, body: unknown, given: Readonly<Record<string, string>>) => {
    const sent = { 'content-type': 'application/json', ...given };
    const answer = await http.app.inject({ method: 'POST', url, headers: sent, payload: JSON.stringify(body) });
    return { status: answer.statusCode, body: answer.json<object>() };
  };
  const key = () => ({ Authorization: `Bearer ${http.secret}` });
  const plain = (answer: { readonly body: object }) => ({ ...answer.body, requestId: null, timing: null });

  test.each([
    ['add', '/v3/documents', { content: 'The kettle is blue.', containerTag: 'kitchen' }, AddDocument],
    ['search', '/v4/search', { q: 'kettle', containerTag: 'kitchen' }, SearchMemories],
  ])('%s is answered as over HTTP', async (name, url, body, kind) => {
    const answer = await ask(name, body, key());
    expect(http.fake.asked).toEqual([expect.any(kind)]);
    const over = await post(url, body, key());
    expect(answer.status).toBe(200);
    expect(answer.status).toBe(over.status);
    expect(plain(answer)).toEqual(plain(over));
    expect(http.fake.asked[1]).toEqual(http.fake.asked[0]);
  });

  test('a key that is one slip away from a known one is ignored, unlike over HTTP', async () => {
    const body = { content: 'The kettle is blue.', container_tag: 'kitchen' };
    expect((await post('/v3/documents', body, key())).status).toBe(400);
    expect((await ask('add', body, key())).status).toBe(200);
  });

  test.each([
    ['no key', {}, { q: 'x' }, 401],
    ['a wrong key', { Authorization: 'Bearer sm_wrong' }, { q: 'x' }, 401],
    ['a wrong body', null, { limit: 'ten', q: 'x' }, 400],
    ['no JSON', null, '{', 400],
  ])('%s is refused as over HTTP', async (_, given, body, status) => {
    const sent = { ...(given ?? key()), 'X-Request-Id': 'mine' };
    const answer = await ask('search', body, sent);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ error: expect.any(String), code: expect.any(String), requestId: 'mine' });
    expect(answer.headers?.get('x-request-id')).toBe('mine');
    expect(http.fake.asked).toEqual([]);
  });
});

test('HTTP and NATS share the rate limit of a key', async () => {
  const limited = await startTestApp({ rateLimit: { requests: 1, seconds: 60 } });
  serve(limited.app);
  const given = { Authorization: `Bearer ${limited.secret}` };
  expect((await limited.call('POST', '/v4/search', { q: 'x' })).status).toBe(200);
  const answer = await ask('search', { q: 'x' }, given);
  expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect(Number(answer.headers?.get('retry-after'))).toBeGreaterThan(0);
  await limited.app.close();
});

const answering = (payload: string, wait: Promise<void> = Promise.resolve()): HttpFront => ({
  inject: () => wait.then(() => ({ statusCode: 200, headers: {}, rawPayload: Buffer.from(payload) })),
});

test('processes share the requests, and each is answered once', async () => {
  const counts = [0, 0];
  for (const i of [0, 1]) {
    serve({
      inject: (request) => {
        counts[i] = (counts[i] as number) + 1;
        return answering('{}').inject(request);
      },
    });
  }
  await Promise.all(Array.from({ length: 100 }, () => ask('add', {})));
  expect((counts[0] as number) + (counts[1] as number)).toBe(100);
  expect(Math.min(...counts)).toBeGreaterThan(10);
});

test('an answer above the limit of NATS is refused with the reason', async () => {
  serve(answering(JSON.stringify('x'.repeat(1_100_000))));
  expect(await ask('search', {})).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
});

test('close() waits for open requests; a request above the concurrency limit gets 503', async () => {
  const gate = Promise.withResolvers<void>();
  const api = serve(answering('{"ok":true}', gate.promise));
  const asked = Array.from({ length: 256 }, () => ask('add', {}));
  expect(await ask('add', {})).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  const closed = api.close();
  gate.resolve();
  for (const answer of await Promise.all(asked)) expect(answer.status).toBe(200);
  await closed;
  await expect(ask('add', {})).rejects.toThrow(/no responders/);
});

test('an internal error is answered without its reason', async () => {
  serve({ inject: () => Promise.reject(new Error('a secret')) });
  const answer = await ask('add', {});
  expect(answer.status).toBe(500);
  expect(JSON.stringify(answer.body)).not.toContain('secret');
});

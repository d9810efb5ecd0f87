import { Agent, request as rawRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Controller, Get } from '@nestjs/common';
import { BlobStorageFullError } from '#blobs';
import { ConcurrencyExhaustedError, StorageFullError } from '#event-store';
import { ResourceError } from '#kernel';
import { NatsUnreachableError } from '#nats';
import { MemoryRateLimiter } from '#rate-limit';
import { ThreadGoneError } from '#threads';
import { ViewsMissingError } from '#views';
import { Public } from './access/permission.ts';
import { startTestApp, type TestApp } from './testing/fake-application.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

let http: TestApp;
let base: string;

beforeAll(async () => {
  http = await startTestApp({ maxBodyBytes: 200_000 });
  await http.app.listen(0, '127.0.0.1');
  const { port } = http.app.getHttpServer().address() as AddressInfo;
  base = `http://127.0.0.1:${port}`;
});
afterAll(() => http.app.close());
beforeEach(() => {
  Object.assign(http.fake, { asked: [], fault: null, refusal: null });
});

const withKey = (headers: Record<string, string> = {}) => ({ authorization: `Bearer ${http.secret}`, ...headers });

/** Sends one after the other; `sockets` says how many connections that took. */
async function onOneConnection(...requests: readonly [method: string, path: string, body?: string | Buffer][]) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports = new Set<number | undefined>();
  const statuses: number[] = [];
  for (const [method, path, body] of requests) {
    statuses.push(
      await new Promise<number>((resolve, reject) => {
        const request = rawRequest(`${base}${path}`, { method, agent, headers: withKey(JSON_TYPE) }, (response) => {
          ports.add(response.socket.localPort);
          response.resume().on('end', () => resolve(response.statusCode ?? 0));
        });
        request.on('error', reject).end(body);
      }),
    );
  }
  agent.destroy();
  return { statuses, sockets: ports.size };
}

describe('errors', () => {
  test.each([
    ['unknown route', 'GET', '/nowhere', undefined, 404, 'not_found'],
    ['unknown version', 'POST', '/v1/memories', {}, 404, 'not_found'],
    ['wrong method', 'PUT', '/v3/documents', {}, 404, 'not_found'],
    [
      'a static word under a method that does not define it is an id',
      'DELETE',
      '/v3/documents/list',
      undefined,
      204,
      null,
    ],
    ['no id', 'GET', '/v3/documents/', undefined, 404, 'not_found'],
    ['malformed percent-encoding', 'GET', '/v3/documents/%ZZ', undefined, 400, 'invalid_request'],
    ['bytes that are no UTF-8', 'GET', '/v3/documents/%FF', undefined, 400, 'invalid_request'],
    ['malformed percent-encoding in the query', 'GET', '/v3/documents/x?status=%ZZ', undefined, 200, null],
    ['a path that is too long', 'GET', `/v3/documents/${'x'.repeat(5000)}`, undefined, 404, 'not_found'],
    ['body that is no object', 'POST', '/v3/documents', '[1]', 400, 'invalid_request'],
    ['body that is a string', 'POST', '/v3/documents', '"x"', 400, 'invalid_request'],
    ['body that is null', 'POST', '/v3/documents', 'null', 400, 'invalid_request'],
    ['broken JSON', 'POST', '/v3/documents', '{"content":', 400, 'invalid_request'],
  ])('%s', async (_, method, url, payload, status, code) => {
    const answer = await http.call(method, url, payload, typeof payload === 'string' ? JSON_TYPE : {});
    expect(answer.status).toBe(status);
    if (code !== null) expectErrorBody(answer, code);
  });

  test.each([
    new StorageFullError('/data/secret path'),
    new BlobStorageFullError('/data/secret path'),
    new NatsUnreachableError('/data/secret path'),
    new ConcurrencyExhaustedError('/data/secret path'),
    new ThreadGoneError('/data/secret path'),
    new ViewsMissingError('/data/secret path'),
    new ResourceError('too_many_files', '/data/secret path'),
  ])('a transient error, as of $code, is 503 with Retry-After', async (fault) => {
    http.fake.fault = fault;
    const answer = await http.call('POST', '/v3/documents', { content: 'x' });
    expect(answer.status).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expectErrorBody(answer, 'unavailable');
    expect(answer.text).not.toContain('/data');
  });

  test('a fault tells nothing of itself', async () => {
    http.fake.fault = new Error('SELECT * FROM keys at /data/store.db');
    const answer = await http.call('GET', '/v3/documents/x');
    expect(answer.status).toBe(500);
    expectErrorBody(answer, 'internal');
    expect(answer.text).not.toMatch(/SELECT|\/data/);
  });

  test.each([
    ['POST', '/v3/documents', 'backlog_full', 503, 'unavailable', { 'retry-after': '5' }],
    ['POST', '/v3/documents', 'empty_content', 400, 'invalid_request', {}],
    ['POST', '/v3/documents', 'idempotency_key_reused', 409, 'conflict', { 'x-should-retry': 'false' }],
    ['GET', '/v3/documents/x', 'not_found', 404, 'not_found', {}],
    ['DELETE', '/v3/documents/x', 'not_found', 404, 'not_found', {}],
    ['GET', '/v3/documents/x/events', 'not_found', 404, 'not_found', {}],
    ['POST', '/v3/documents/x/retry', 'not_failed', 409, 'conflict', { 'x-should-retry': 'false' }],
    ['POST', '/v3/search', 'not_found', 404, 'not_found', {}],
  ])('%s %s refused with %s: %d', async (method, url, refusal, status, code, headers) => {
    http.fake.refusal = refusal;
    const answer = await http.call(method, url, method === 'POST' ? { content: 'x', q: 'x' } : undefined);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject(headers);
    expectErrorBody(answer, code);
  });
});

function expectErrorBody(answer: Awaited<ReturnType<TestApp['call']>>, code: string): void {
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.body).toMatchObject({
    error: expect.any(String),
    message: expect.any(String),
    code,
    requestId: answer.headers['x-request-id'],
  });
}

describe('bodies', () => {
  test.each([
    ['application/json', { 'content-type': 'application/json' }],
    ['with a charset', { 'content-type': 'Application/JSON; charset=UTF-8' }],
    ['of a +json type', { 'content-type': 'application/merge-patch+json' }],
    ['of a string given to fetch', { 'content-type': 'text/plain;charset=UTF-8' }],
    ['without a type', {}],
  ])('JSON %s is read', async (_, headers) => {
    const answer = await http.call('POST', '/v3/documents', Buffer.from('{"content":"x"}'), headers);
    expect(answer.status).toBe(200);
  });

  test('a byte order mark is no part of JSON', async () => {
    expect((await http.call('POST', '/v3/documents', '\ufeff{"content":"x"}', JSON_TYPE)).status).toBe(200);
  });

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml', 'nonsense'])(
    '%s is refused by name',
    async (type) => {
      const answer = await http.call('POST', '/v3/documents', '{"content":"x"}', { 'content-type': type });
      expect(answer.status).toBe(400);
      expectErrorBody(answer, 'invalid_request');
      expect(answer.body.message).toMatch(/content.type/i);
    },
  );

  test('an empty body is an empty object, whatever its type says', async () => {
    for (const headers of [JSON_TYPE, {}, { 'content-type': 'application/x-www-form-urlencoded' }]) {
      expect((await http.call('POST', '/v3/documents/list', '', headers)).status).toBe(200);
      expect((await http.call('POST', '/v3/documents/list', undefined, headers)).status).toBe(200);
      expect((await http.call('GET', '/v3/session', undefined, headers)).status).toBe(200);
      expect((await http.call('DELETE', '/v3/documents/x', undefined, headers)).status).toBe(204);
    }
    expect((await http.call('POST', '/v3/documents')).body.details).toBe('content');
  });

  test('a DELETE with a body is read; a deletion answers with nothing', async () => {
    const answer = await http.call('DELETE', '/v3/documents/x', { reason: 'old' });
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect(answer.headers['content-type']).toBeUndefined();
  });

  test.each([200_001, 3_000_000])('a body of %d bytes is too large, and the client reads so', async (length) => {
    const body = JSON.stringify({ content: 'x'.repeat(length - 14) });
    expect(body).toHaveLength(length);
    const answer = await fetch(`${base}/v3/documents`, { method: 'POST', headers: withKey(JSON_TYPE), body });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ code: 'payload_too_large' });
  });

  test('a body of just the limit is read', async () => {
    const body = JSON.stringify({ content: 'x'.repeat(200_000 - 14) });
    const answer = await fetch(`${base}/v3/documents`, { method: 'POST', headers: withKey(JSON_TYPE), body });
    expect(answer.status).toBe(200);
  });

  test('broken JSON does not cost the connection', async () => {
    expect(await onOneConnection(['POST', '/v3/documents', '{'], ['GET', '/'])).toEqual({
      statuses: [400, 200],
      sockets: 1,
    });
  });
});

describe('keys', () => {
  test.each([
    ['none', {}],
    ['empty', { authorization: '' }],
    ['no scheme', { authorization: 'sm_acme_0123456789012345678901' }],
    ['another scheme', { authorization: 'Basic c206c206' }],
    ['scheme only', { authorization: 'Bearer ' }],
    ['too short', { authorization: 'Bearer sm_x' }],
    ['unknown', { authorization: 'Bearer sm_acme_0123456789012345678901' }],
    ['two words', { authorization: 'Bearer sm_acme_0123456789012345678901 x' }],
  ])('%s: 401', async (_, headers) => {
    const answer = await http.app.inject({ method: 'POST', url: '/v3/documents', headers, payload: '{' });
    expect(answer.statusCode).toBe(401);
    expect(answer.json()).toMatchObject({ code: 'unauthorized', message: expect.any(String) });
    expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
  });

  test.each(['bearer', 'BEARER', 'Bearer  '])('scheme %s', async (scheme) => {
    const authorization = `${scheme} ${http.secret}`;
    expect((await http.call('GET', '/v3/session', undefined, { authorization })).status).toBe(200);
  });

  test.each(['/', '/v3/health', '/v3/openapi', '/v3/docs', '/v3/docs/swagger-ui.css'])('%s needs none', async (url) => {
    expect((await http.app.inject({ method: 'GET', url })).statusCode).toBe(200);
  });

  test('the session tells whose key it is', async () => {
    expect((await http.call('GET', '/v3/session')).body).toEqual({
      user: { id: 'k1' },
      org: { id: 'acme' },
      role: 'owner',
      accessType: 'full',
      containerTags: null,
      scope: { type: 'full' },
    });
  });

  test('service and health', async () => {
    expect((await http.call('GET', '/')).body).toEqual({ status: 'ok', name: 'mneme', version: '1.2.3' });
    expect((await http.call('GET', '/v3/health')).body).toMatchObject({ status: 'ok', search: { model: null } });
  });

  test('a route that declares no permission does not start', async () => {
    @Controller()
    class Undeclared {
      @Get('open')
      open() {
        return {};
      }
    }
    await expect(startTestApp({}, { controllers: [Undeclared] })).rejects.toThrow(/GET \/open declares neither/);
  });

  test('a declared route starts', async () => {
    @Controller()
    class Declared {
      @Get('open')
      @Public()
      open() {
        return { open: true };
      }
    }
    const other = await startTestApp({}, { controllers: [Declared] });
    expect((await other.app.inject({ method: 'GET', url: '/open' })).json()).toEqual({ open: true });
    await other.app.close();
  });
});

describe('rate limit', () => {
  test('every answer to a key counts and tells; the one too many is 429', async () => {
    const limited = await startTestApp({ rateLimiter: new MemoryRateLimiter({ requests: 3, seconds: 3600 }) });
    const answers = [
      await limited.call('GET', '/v3/session'),
      await limited.call('POST', '/v3/documents', {}),
      await limited.call('DELETE', '/v3/documents/x'),
      await limited.call('POST', '/v3/documents', '{', JSON_TYPE),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 204, 429]);
    expect(answers.map(({ headers }) => headers['x-ratelimit-remaining']).map(Number)).toEqual([2, 1, 0, 0]);
    for (const { headers } of answers) {
      expect(headers['x-ratelimit-limit']).toBe('3');
      expect(String(headers['x-ratelimit-reset'])).toMatch(/^\d{10}$/);
    }
    const last = answers[3] as (typeof answers)[0];
    expectErrorBody(last, 'rate_limited');
    // The window is an hour, but a client sleeps as long as it is told.
    expect(last.headers['retry-after']).toBe('60');

    expect((await limited.app.inject({ method: 'GET', url: '/v3/session' })).statusCode).toBe(401);
    expect((await limited.app.inject({ method: 'GET', url: '/v3/health' })).statusCode).toBe(200);
    await limited.app.close();
  });

  test('off: no such headers', async () => {
    expect((await http.call('GET', '/v3/session')).headers['x-ratelimit-limit']).toBeUndefined();
  });
});

describe('redirects of the former paths', () => {
  test.each([
    ['/v3/memories', '/v3/documents'],
    ['/v3/memories/', '/v3/documents/'],
    ['/v3/memories?page=2&x=%2F', '/v3/documents?page=2&x=%2F'],
    ['/v3/memories/list', '/v3/documents/list'],
    ['/v3/memories/a%2Fb%20c/chunks', '/v3/documents/a%2Fb%20c/chunks'],
    ['/v3/memories/%ZZ', '/v3/documents/%ZZ'],
  ])('%s', async (from, to) => {
    for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']) {
      const answer = await http.app.inject({ method: method as 'GET', url: from });
      expect(answer.statusCode).toBe(308);
      expect(answer.headers.location).toBe(to);
    }
  });

  test.each(['/v3/memoriesx', '/v4/memories', '/v3/documents/memories'])('%s is none of them', async (url) => {
    expect((await http.call('GET', url)).status).not.toBe(308);
  });

  test('a client follows with method, key and a body that the redirect did not read', async () => {
    const body = JSON.stringify({ content: 'x'.repeat(150_000) });
    const answer = await fetch(`${base}/v3/memories`, { method: 'POST', headers: withKey(JSON_TYPE), body });
    expect(answer.status).toBe(200);
    expect(answer.redirected).toBe(true);
    expect(http.fake.asked).toHaveLength(1);
  });

  test('a large body is drained, so that the connection goes on', async () => {
    const large = Buffer.alloc(5_000_000, 'x');
    expect(await onOneConnection(['POST', '/v3/memories/file', large], ['GET', '/'])).toEqual({
      statuses: [308, 200],
      sockets: 1,
    });
  });
});

describe('headers of every answer', () => {
  test.each(['abc-123', 'a/b:c=1@x+y.z_'])('request id %s is echoed', async (id) => {
    expect((await http.call('GET', '/nowhere', undefined, { 'x-request-id': id })).headers['x-request-id']).toBe(id);
  });

  test.each(['', 'with space', 'x'.repeat(129), 'é', '<script>'])('request id %j is replaced', async (id) => {
    const { headers } = await http.call('GET', '/', undefined, { 'x-request-id': id });
    expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9]{22}$/);
  });

  test('never cached, readable from any origin, also where the URL is broken', async () => {
    for (const url of ['/', '/v3/session', '/nowhere', '/v3/documents/%ZZ', '/v3/memories']) {
      expect((await http.call('GET', url)).headers).not.toHaveProperty('access-control-allow-origin');
      expect((await http.call('GET', url, undefined, { origin: 'https://example.com' })).headers).toMatchObject({
        'cache-control': 'no-store',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringContaining('x-ratelimit-remaining'),
      });
    }
  });

  test.each(['/v3/documents', '/v3/documents/a%2Fb', '/v3/memories', '/nowhere'])('preflight of %s', async (url) => {
    const answer = await http.app.inject({
      method: 'OPTIONS',
      url,
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'DELETE',
        'access-control-request-headers': 'authorization, x-stainless-os,X-SM-Source, x-evil',
      },
    });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE, OPTIONS',
      'access-control-allow-headers': 'authorization, x-stainless-os, X-SM-Source',
    });
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  test('HEAD answers as GET, without the body', async () => {
    const answer = await http.call('HEAD', '/');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('');
  });
});

describe('OpenAPI', () => {
  test('lists every route with permission, request, answer and errors', async () => {
    const { body: document } = await http.call('GET', '/v3/openapi');
    const routes = Object.entries<Record<string, { 'x-permission': string | null }>>(document.paths).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, route]) => `${method.toUpperCase()} ${path} ${route['x-permission']}`),
    );
    expect(routes.sort()).toEqual([
      'DELETE /v3/documents/{id} write',
      'GET / null',
      'GET /v3/docs null',
      'GET /v3/docs/{asset} null',
      'GET /v3/documents/processing read',
      'GET /v3/documents/{id} read',
      'GET /v3/documents/{id}/events read',
      'GET /v3/events read',
      'GET /v3/health null',
      'GET /v3/openapi null',
      'GET /v3/session read',
      'POST /v3/documents write',
      'POST /v3/documents/file write',
      'POST /v3/documents/list read',
      'POST /v3/documents/{id}/retry write',
      'POST /v3/search read',
      'POST /v4/profile read',
      'POST /v4/search read',
    ]);
    const add = document.paths['/v3/documents'].post;
    expect(Object.keys(add.responses)).toEqual(['200', '400', '401', '403', '409', '413', '429', '500', '503']);
    expect(document.components.schemas.AddDocumentBody).toMatchObject({
      required: ['content'],
      properties: { customId: { type: 'string', minLength: 1, maxLength: 255 } },
    });
  });

  test('every reference in it leads somewhere', async () => {
    const { text, body } = await http.call('GET', '/v3/openapi');
    const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name as string);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(body.components.schemas).toHaveProperty(name);
  });

  test('the page and its files come from this server, and nothing else does', async () => {
    const page = await http.call('GET', '/v3/docs');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).not.toMatch(/https?:/);
    for (const [, url] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect((await http.call('GET', `/v3/${url}`)).status).toBe(200);
    }
    for (const name of ['package.json', 'index.html', '..%2Fpackage.json', 'constructor']) {
      expect((await http.call('GET', `/v3/docs/${name}`)).status).toBe(404);
    }
  });
});

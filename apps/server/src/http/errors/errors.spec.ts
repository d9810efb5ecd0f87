import { ResourceError } from '#platform/kernel';
import { NatsUnreachableError } from '#platform/nats';
import { ThreadGoneError } from '#platform/thread-calls';
import { BlobStorageFullError } from '#ports/blobs';
import { ConcurrencyExhaustedError, StorageFullError } from '#ports/event-store';
import { ViewsMissingError } from '#read-side/views';
import { expectErrorBody } from '../testing/expectations.ts';
import { useTestApp } from '../testing/use-test-app.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

const http = useTestApp();

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
    ['malformed percent-encoding in the query', 'GET', '/v3/documents/x?other=%ZZ', undefined, 200, null],
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

  describe.each([
    ['POST', '/'],
    ['GET', '/nowhere?key=secret'],
    ['GET', '/openapi.yaml'],
    ['POST', '/v3/nowhere/at/all'],
    ['PUT', '/v4/search'],
    ['PUT', '/mcp'],
    ['POST', '/mcp/nowhere'],
    ['GET', '/.well-known/nowhere'],
    ['POST', '/upload'],
    ['POST', '/proxy'],
    ['POST', '/proxy/openai/v1/chat/completions'],
  ])('%s %s, which no route answers, is 404', (method, url) => {
    test.each([
      ['no body', undefined, {}],
      ['broken JSON', '{"content":', JSON_TYPE],
      ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['an upload', '--x\r\n', { 'content-type': 'multipart/form-data; boundary=x' }],
      ['a wrong key', undefined, { authorization: 'Bearer wrong', accept: 'text/html' }],
    ])('with %s', async (_, payload, headers) => {
      const answer = await http.call(method, url, payload, headers);
      expect(answer.status).toBe(404);
      expectErrorBody(answer, 'not_found');
      expect(answer.body.message).toBe(`Cannot ${method} ${url.split('?')[0]}`);
    });
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

  test('an internal error reveals no reason', async () => {
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

import { Controller, Get } from '@nestjs/common';
import { expectErrorBody } from '../testing/expectations.ts';
import { startTestApp } from '../testing/fake-application.ts';
import { useTestApp } from '../testing/use-test-app.ts';
import { Public } from './permission.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

const http = useTestApp();

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

  test.each(['/', '/v3/health', '/v3/openapi', '/openapi.json', '/v3/docs', '/v3/docs/swagger-ui.css'])(
    '%s needs no key',
    async (url) => {
      expect((await http.app.inject({ method: 'GET', url })).statusCode).toBe(200);
    },
  );

  test('a route without a permission stops the start', async () => {
    @Controller()
    class Undeclared {
      @Get('open')
      open() {
        return {};
      }
    }
    await expect(startTestApp({}, { controllers: [Undeclared] })).rejects.toThrow(/GET \/open declares neither/);
  });

  test('a route with a permission starts', async () => {
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
  test('every answer to a key counts and has the headers; above the limit it is 429', async () => {
    const limited = await startTestApp({ rateLimit: { requests: 3, seconds: 3600 } });
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
    // The window is an hour, but SDKs sleep for the full Retry-After.
    expect(last.headers['retry-after']).toBe('60');

    expect((await limited.app.inject({ method: 'GET', url: '/v3/session' })).statusCode).toBe(401);
    expect((await limited.app.inject({ method: 'GET', url: '/v3/health' })).statusCode).toBe(200);
    await limited.app.close();
  });

  test('without a limit, answers have no rate limit headers', async () => {
    expect((await http.call('GET', '/v3/session')).headers['x-ratelimit-limit']).toBeUndefined();
  });
});

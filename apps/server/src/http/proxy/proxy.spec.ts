import { type IncomingMessage, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { KNOWN_PROVIDERS, type Provider } from '#features/proxy';
import { until } from '../../../../../libs/platform/kernel/src/testing/eventually.ts';
import { DEFAULT_MAX_BODY_BYTES } from '../options.ts';
import { listen, startTestApp, type TestApp } from '../testing/fake-application.ts';
import { initialFake } from '../testing/fake-handlers.ts';
import { type LoopbackProvider, openProvider } from '../testing/loopback-provider.ts';

/** Calls that pass without memory: who may call what, which headers go on, and bytes that come back as they were sent. */

const MAX_BODY = 4 * 1024 * 1024;
let provider: LoopbackProvider;
let http: TestApp & { readonly url: string };

const providerAt = (name: string, base: string, details: Partial<Provider> = {}): Provider => ({
  ...{ name, base, format: 'openai', key: null, organizations: null, isConfigured: true, ...details },
});

beforeAll(async () => {
  provider = await openProvider();
  const { url: base } = provider;
  const port = Number(new URL(base).port);
  const proxy = {
    providers: [
      providerAt('local', base),
      providerAt('shared', `${base}/shared`, { key: 'sk-shared' }),
      providerAt('theirs', `${base}/theirs`, { organizations: ['another'] }),
      // Not named by the operator, so its address has to be public.
      providerAt('private', `http://localhost:${port}`, { isConfigured: false }),
      providerAt('gone', 'http://127.0.0.1:9'),
      ...KNOWN_PROVIDERS,
    ],
    connections: { allow: [], loopback: false, proxy: null },
    ...{ maxBodyBytes: MAX_BODY, maxContextTokens: 20_000, memoryMs: 250 },
  };
  const started = await startTestApp({ proxy, maxBodyBytes: DEFAULT_MAX_BODY_BYTES });
  http = { ...started, url: await listen(started) };
});
afterAll(async () => {
  await http.app.close();
  await provider.close();
});
beforeEach(() => {
  Object.assign(http.fake, initialFake());
  provider.seen.length = 0;
  provider.answer = (_, response) => response.end('{}');
});

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

async function answered(path: string, { method = 'POST', headers = {}, body }: Sent = {}): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const key = { 'x-supermemory-api-key': http.secret };
  const request = send(`${http.url}${path}`, { method, headers: { ...key, ...headers } }, resolve);
  request.on('error', reject).end(body);
  return promise;
}

async function call(path: string, sent: Sent = {}) {
  const response = await answered(path, sent);
  const bytes = await buffer(response);
  return { status: response.statusCode, headers: response.headers, raw: response.rawHeaders, bytes };
}

const refusal = async (path: string, sent?: Sent) => {
  const { status, bytes } = await call(path, sent);
  return [status, JSON.parse(bytes.toString()).code];
};

describe('who may call', () => {
  test.each([
    ['no key', {}],
    ['the key of a provider alone', { authorization: 'Bearer sk-1' }],
    ['a wrong key', { 'x-supermemory-api-key': 'sm_acme_0123456789012345678901' }],
    ['a cookie', { cookie: 'mneme_session=0123456789' }],
  ])('%s: 401', async (_, headers) => {
    for (const path of ['/proxy/local/v1/models', `/v3/${provider.url}/v1/models`]) {
      const own = { 'x-supermemory-api-key': '', ...headers };
      expect(await refusal(path, { method: 'GET', headers: own })).toEqual([401, 'unauthorized']);
    }
    expect(provider.seen).toEqual([]);
  });

  test.each([
    ['/v3/https://evil.example/v1/models', 403, 'forbidden'],
    ['/v3/http://169.254.169.254/latest', 403, 'forbidden'],
    ['/v3/https%3A%2', 400, 'invalid_request'],
    ['/v3/httpx', 400, 'invalid_request'],
    ['/proxy/nobody/v1/models', 404, 'not_found'],
    ['/proxy/theirs/v1/models', 403, 'forbidden'],
    ['/proxy/private/v1/models', 403, 'forbidden'],
    ['/proxy/gone/v1/models', 502, 'provider_unreachable'],
  ])('%s: %i', async (path, status, code) => {
    expect(await refusal(path)).toEqual([status, code]);
  });

  test('the key may be the bearer, with the key of the provider beside it or that of the operator', async () => {
    const bearer = { authorization: `Bearer ${http.secret}`, 'x-supermemory-api-key': http.secret };
    await call('/proxy/shared/v1/models', { method: 'GET', headers: bearer });
    await call('/proxy/shared/v1/models', { method: 'GET', headers: { ...bearer, 'x-sm-provider-key': 'sk-own' } });
    await call('/proxy/local/v1/models', { method: 'GET', headers: bearer });
    expect(provider.seen.map(({ header }) => header('authorization'))).toEqual([
      ...['Bearer sk-shared', 'Bearer sk-own', undefined],
    ]);
    expect(JSON.stringify(provider.seen)).not.toContain(http.secret);
  });
});

describe('what passes', () => {
  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('%s with its path, query and body', async (method) => {
    const body = Buffer.from([0, 255, 13, 10, 0xc3, 0x28]);
    const headers = { 'content-type': 'application/octet-stream', 'content-length': '6', 'x-custom': 'kept' };
    for (const path of [`/v3/${provider.url}`, '/proxy/local']) {
      await call(`${path}/v1/files/a%2Fb?userId=mara&x=%20y&x=`, { method, headers, body });
    }
    for (const seen of provider.seen) {
      expect(seen).toMatchObject({ method, url: '/v1/files/a%2Fb?x=%20y&x=', body });
      expect(seen.header('x-custom')).toBe('kept');
      expect(seen.header('content-type')).toBe('application/octet-stream');
      expect(seen.header('host')).toBe(new URL(provider.url).host);
      for (const name of seen.headers.filter((_, at) => at % 2 === 0)) expect(name).not.toMatch(/^x-s(m|upermemory)-/i);
    }
    expect(provider.seen).toHaveLength(2);
  });

  test('a form and a body without a declared length', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x', 'transfer-encoding': 'chunked' };
    await call('/proxy/local/v1/audio/transcriptions', { headers, body: '--x--' });
    await call('/proxy/local/v1/models', { method: 'HEAD' });
    expect(provider.seen).toMatchObject([
      { method: 'POST', body: Buffer.from('--x--') },
      { method: 'HEAD', url: '/v1/models', body: Buffer.alloc(0) },
    ]);
  });

  test('an answer with its status, headers and bytes, without cookies', async () => {
    const bytes = gzipSync('{"error": {"message": "slow down"}}');
    provider.answer = (_, response) => {
      const headers = { 'Retry-After': '7', 'Content-Encoding': 'gzip', 'X-Request-Id': 'theirs', 'Set-Cookie': 'a=b' };
      response.writeHead(429, 'Too Many', headers).end(bytes);
    };
    const answer = await call('/proxy/local/v1/models', { headers: { origin: 'https://page.example' } });
    expect(answer).toMatchObject({ status: 429, bytes });
    expect(answer.headers).toMatchObject({
      ...{ 'retry-after': '7', 'content-encoding': 'gzip', 'x-request-id': 'theirs' },
      'access-control-allow-origin': '*',
    });
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(answer.headers).not.toHaveProperty('x-supermemory-conversation-id');
  });

  test('redirects are those of the caller', async () => {
    provider.answer = (_, response) => response.writeHead(307, { Location: 'http://169.254.169.254/' }).end();
    const { status, headers } = await call('/proxy/local/v1/models');
    expect([status, headers.location]).toEqual([307, 'http://169.254.169.254/']);
    expect(provider.seen).toHaveLength(1);
  });

  test('a stream, each part when it comes', async () => {
    const parts = Promise.withResolvers<void>();
    provider.answer = async (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n');
      await parts.promise;
      response.end('data: 2\n\n');
    };
    const response = await answered('/proxy/local/v1/other');
    const chunks: string[] = [];
    for await (const chunk of response) {
      chunks.push(String(chunk));
      // Only after the first part has arrived is there another one.
      parts.resolve();
    }
    expect(chunks).toEqual(['data: 1\n\n', 'data: 2\n\n']);
  });
});

describe('what is cut', () => {
  test('an answer that breaks off breaks off for the caller', async () => {
    provider.answer = (request, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('begun');
      setTimeout(() => request.socket.destroy(), 50);
    };
    const response = await answered('/proxy/local/v1/other');
    await expect(buffer(response)).rejects.toThrow(/aborted/);
  });

  test('a caller that leaves ends the call of the provider', async () => {
    const closed = Promise.withResolvers<void>();
    provider.answer = (_, response) => {
      response.writeHead(200).write('begun');
      response.once('close', () => closed.resolve());
      // Endless.
      const timer = setInterval(() => response.write('more'), 10);
      response.once('close', () => clearInterval(timer));
    };
    const response = await answered('/proxy/local/v1/other');
    response.once('data', () => response.destroy());
    response.on('error', () => {});
    await closed.promise;
  });

  test('a slow caller slows the provider', async () => {
    let written = 0;
    provider.answer = (_, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536);
      const go = () => {
        if (response.destroyed) return;
        written += 1;
        if (response.write(chunk)) setImmediate(go);
        else response.once('drain', go);
      };
      go();
    };
    const response = await answered('/proxy/local/v1/other');
    const pausing = async () => {
      const before = written;
      await pause(100);
      return written > 0 && written === before;
    };
    expect(await until(pausing, (isPausing) => isPausing)).toBe(true);
    response.destroy();
  });

  test('a body over the limit: 413, declared or not, and the provider is not called', async () => {
    const body = Buffer.alloc(MAX_BODY + 1, ' ');
    for (const path of ['/proxy/local/v1/files', '/proxy/local/v1/chat/completions']) {
      expect(await refusal(path, { body, headers: { 'content-length': String(body.length) } })).toEqual([
        ...[413, 'payload_too_large'],
      ]);
    }
    const chunked = { 'transfer-encoding': 'chunked' };
    for (const path of ['/proxy/local/v1/files', '/proxy/local/v1/chat/completions']) {
      expect(await refusal(path, { body, headers: chunked })).toEqual([413, 'payload_too_large']);
    }
    expect(provider.seen).toEqual([]);
  });
});

test('neither paths nor keys of calls are in the log, and routes are named by their patterns', async () => {
  const lines: string[] = [];
  const line = (message: string, fields: object = {}) => void lines.push(JSON.stringify({ message, ...fields }));
  const logger = { debug: line, info: line, warn: line };
  const logged = await startTestApp({ ...http.options, logger });
  const url = await listen(logged);
  for (const path of ['/v3/https://secret.example/?key=secret', '/proxy/secret/v1/models?key=secret']) {
    await fetch(`${url}${path}`, { headers: { 'x-supermemory-api-key': logged.secret } });
  }
  await until(() => lines.length === 2);
  expect(lines.join()).not.toContain('secret');
  expect(lines.map((one) => JSON.parse(one).route)).toEqual(['/v3/http*', '/proxy/*']);
  await logged.app.close();
});

test('without providers, the paths are not there', async () => {
  const off = await startTestApp();
  expect((await off.call('POST', '/proxy/openai/v1/models')).status).toBe(404);
  expect((await off.call('POST', '/v3/https://api.openai.com/v1/models')).status).toBe(404);
  await off.app.close();
});

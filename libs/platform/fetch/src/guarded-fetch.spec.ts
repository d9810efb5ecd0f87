import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type GuardedFetchOptions, openGuardedFetch, type ProviderAccess, pauseOf } from '#platform/fetch';
import { connectorTo } from './testing/connector-to.ts';

interface Seen {
  readonly request: IncomingMessage;
  readonly body: Buffer;
}

let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let seen: Seen[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    seen.push({ request, body: await buffer(request) });
    answer(request, response);
  });
  server.on('connect', (request, socket) => {
    seen.push({ request, body: Buffer.alloc(0) });
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    server.emit('connection', socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  seen = [];
  answer = (_, response) => response.end('ok');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Every connection leads to the server of the test, whatever address was asked for. */
function open(options: Partial<GuardedFetchOptions> = {}, access: Partial<ProviderAccess> = {}) {
  const connected: string[] = [];
  const fetch = openGuardedFetch({
    ...{ allow: [], loopback: false, proxy: null, resolver: async () => ['93.184.216.34'] },
    connector: connectorTo(server, connected),
    ...options,
  })({ hosts: ['api.test'], ...access });
  return { connected, fetch };
}

/** Headers in which providers get credentials, one of them unknown to everybody else. */
const CREDENTIALS = {
  ...{ Authorization: 'Bearer secret', Cookie: 'a=secret', 'X-Api-Key': 'secret', 'X-Goog-Api-Key': 'secret' },
  ...{ 'X-Amz-Security-Token': 'secret', 'X-Of-This-Provider': 'secret', 'Proxy-Authorization': 'Basic secret' },
};

const redirects = (status: number, location: string) => (request: IncomingMessage, response: ServerResponse) =>
  request.url === '/' ? response.writeHead(status, { Location: location }).end('away') : response.end('arrived');

test('a request arrives with its method, headers and body, and its answer with status and headers', async () => {
  answer = (_, response) =>
    response
      .writeHead(429, 'Slow', [
        'Retry-After',
        '7',
        'Set-Cookie',
        'a=1',
        'Set-Cookie',
        'b=2',
        'Content-Encoding',
        'gzip',
      ])
      .end(gzipSync('{"a":1}'));
  const { fetch } = open();
  const response = await fetch('http://api.test/a%2Fb?q=%20#part', {
    ...{ method: 'PATCH', headers: { ...CREDENTIALS, Host: 'other.test', 'Content-Type': 'application/json' } },
    body: '{"b":"ä"}',
  });
  expect(response).toMatchObject({ status: 429, statusText: 'Slow', ok: false, redirected: false });
  expect(response.url).toBe('http://api.test/a%2Fb?q=%20');
  expect(pauseOf(response.headers.get('retry-after'))).toBe(7_000);
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(await response.json()).toEqual({ a: 1 });
  const [{ request, body }] = seen as [Seen];
  expect([request.method, request.url, body.toString()]).toEqual(['PATCH', '/a%2Fb?q=%20', '{"b":"ä"}']);
  expect(request.headers).toMatchObject({
    ...{ host: 'api.test', authorization: 'Bearer secret', cookie: 'a=secret', 'x-of-this-provider': 'secret' },
    ...{ 'content-type': 'application/json', 'content-length': '10', 'accept-encoding': 'gzip, br, deflate' },
  });
});

test('a Request is taken too, and forms and streams as bodies', async () => {
  const { fetch } = open();
  await fetch(new Request('http://api.test/1', { method: 'POST', body: new URLSearchParams({ a: 'b' }) }));
  const pieces = ReadableStream.from([Buffer.from('piece'), Buffer.from('meal')]);
  await fetch('http://api.test/2', { method: 'PUT', body: pieces, duplex: 'half' } as RequestInit);
  await fetch(new URL('http://api.test/3'), { method: 'POST' });
  expect(seen.map(({ body }) => body.toString())).toEqual(['a=b', 'piecemeal', '']);
  expect(seen[0]?.request.headers).toMatchObject({
    'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
    'content-length': '3',
  });
  expect(seen[1]?.request.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
  expect(seen[2]?.request.headers).toMatchObject({ 'content-length': '0' });
});

test('answers without a body have none', async () => {
  const { fetch } = open();
  for (const status of [204, 304]) {
    answer = (_, response) => response.writeHead(status, { ETag: '"a"' }).end();
    const response = await fetch('http://api.test/');
    expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([status, '"a"', '']);
  }
  answer = (_, response) => response.writeHead(200, { 'Content-Length': '5' }).end('12345');
  const head = await fetch('http://api.test/', { method: 'HEAD' });
  expect([head.headers.get('content-length'), await head.text()]).toEqual(['5', '']);
});

test.each([
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://localhost/',
  'http://10.0.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://[fd00:ec2::254]/',
  'http://api.test:22/',
  'ftp://api.test/',
  'file:///etc/passwd',
])('%s is refused, directly and as a redirect, and nothing else is connected to', async (address) => {
  const resolver = async (name: string) => [name === 'localhost' ? '127.0.0.1' : '93.184.216.34'];
  const { connected, fetch } = open({ resolver }, { hosts: ['api.test', 'localhost', '127.0.0.1', '10.0.0.1'] });
  await expect(fetch(address, { headers: CREDENTIALS })).rejects.toMatchObject({ code: 'fetch_refused' });
  expect(connected).toEqual([]);
  answer = redirects(302, address);
  await expect(fetch('http://api.test/', { headers: CREDENTIALS })).rejects.toMatchObject({ code: 'fetch_refused' });
  expect(connected).toEqual(['93.184.216.34 80']);
});

test('the operator opens private endpoints, for the names of rules alone', async () => {
  const resolver = async () => ['10.1.2.3'];
  const allow = [{ host: 'minio.lan', port: 9_000 }];
  const { connected, fetch } = open({ resolver, allow }, { hosts: ['minio.lan:9000', 'other.lan'] });
  expect((await fetch('http://minio.lan:9000/', { headers: CREDENTIALS })).status).toBe(200);
  expect(seen[0]?.request.headers.authorization).toBe('Bearer secret');
  await expect(fetch('http://minio.lan/')).rejects.toMatchObject({ code: 'fetch_refused' });
  await expect(fetch('http://other.lan/')).rejects.toMatchObject({ code: 'fetch_refused' });
  expect(connected).toEqual(['10.1.2.3 9000']);
});

test.each([
  'http://other.test/there',
  'http://api.test:8080/there',
  'http://api.test.other.test/there',
  'http://second.test/there',
])('a redirect to %s carries no credentials, and none come back with the next one', async (location) => {
  answer = (request, response) => {
    if (request.url === '/there') response.writeHead(307, { Location: 'http://api.test/back' }).end();
    else redirects(302, location)(request, response);
  };
  const { fetch } = open({}, { hosts: ['api.test', 'second.test'] });
  const headers = { ...CREDENTIALS, Accept: 'text/plain', 'If-None-Match': '"a"' };
  const response = await fetch('http://api.test/', { headers });
  expect([response.url, response.redirected, await response.text()]).toEqual(['http://api.test/back', true, 'arrived']);
  expect(seen.map(({ request }) => request.url)).toEqual(['/', '/there', '/back']);
  for (const { request } of seen.slice(1)) {
    expect(JSON.stringify(request.rawHeaders)).not.toContain('secret');
    expect(request.headers).toMatchObject({ accept: 'text/plain', 'if-none-match': '"a"' });
  }
});

test('a redirect within the origin of the provider keeps them', async () => {
  answer = redirects(301, '/renamed');
  const response = await open().fetch('http://api.test/', { headers: CREDENTIALS });
  expect(await response.text()).toBe('arrived');
  expect(seen[1]?.request.headers).toMatchObject({ authorization: 'Bearer secret', 'x-api-key': 'secret' });
});

test('other hosts are read from without credentials, and nothing is sent to them', async () => {
  const { connected, fetch } = open();
  expect((await fetch('http://files.test/a', { headers: CREDENTIALS })).status).toBe(200);
  expect(JSON.stringify(seen[0]?.request.rawHeaders)).not.toContain('secret');
  for (const method of ['POST', 'PUT', 'DELETE']) {
    await expect(fetch('http://files.test/', { method })).rejects.toMatchObject({ code: 'fetch_refused' });
  }
  expect(connected).toHaveLength(1);
  answer = redirects(307, 'http://files.test/token');
  const sent = fetch('http://api.test/', { method: 'POST', body: 'refresh_token=secret' });
  await expect(sent).rejects.toMatchObject({ code: 'fetch_refused' });
  expect(seen.map(({ request }) => request.headers.host)).toEqual(['files.test', 'api.test']);
});

test('after a form a redirect is read, and 307 sends it again within the origin', async () => {
  const { fetch } = open();
  for (const [status, expected] of [
    [303, 'GET '],
    [302, 'GET '],
    [307, 'POST form'],
  ] as const) {
    seen = [];
    answer = redirects(status, '/next');
    await fetch('http://api.test/', { method: 'POST', body: 'form' });
    expect(`${seen[1]?.request.method} ${seen[1]?.body}`).toBe(expected);
  }
});

test('redirects are returned or refused where the caller asks for it, and end', async () => {
  answer = redirects(302, 'http://other.test/there');
  const { fetch } = open();
  const manual = await fetch('http://api.test/', { redirect: 'manual' });
  expect([manual.status, manual.headers.get('location')]).toEqual([302, 'http://other.test/there']);
  await expect(fetch('http://api.test/', { redirect: 'error' })).rejects.toMatchObject({ code: 'fetch_failed' });
  answer = (_, response) => response.writeHead(302, { Location: '/' }).end();
  seen = [];
  await expect(fetch('http://api.test/')).rejects.toMatchObject({ code: 'fetch_failed' });
  expect(seen).toHaveLength(6);
});

test('an answer that is too large ends, also after decompression', async () => {
  const { fetch } = open({}, { maxBytes: 100_000 });
  answer = (_, response) =>
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(200_000)));
  const response = await fetch('http://api.test/');
  await expect(response.arrayBuffer()).rejects.toMatchObject({ code: 'fetch_failed', isTemporary: false });
});

test('a body that is read slowly goes on, and one that is silent ends', async () => {
  const { fetch } = open({ idle: 200 });
  answer = async (request, response) => {
    response.write(Buffer.alloc(100_000));
    if (request.url === '/whole') response.end('end');
  };
  const whole = (await fetch('http://api.test/whole')).body as ReadableStream<Uint8Array>;
  const reader = whole.getReader();
  let length = (await reader.read()).value?.length ?? 0;
  const { promise: later, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, 600);
  await later;
  for (let read = await reader.read(); !read.done; read = await reader.read()) length += read.value.length;
  expect(length).toBe(100_003);
  const silent = await fetch('http://api.test/silent');
  await expect(silent.arrayBuffer()).rejects.toMatchObject({ code: 'fetch_failed', isTemporary: true });
  answer = () => {};
  await expect(fetch('http://api.test/')).rejects.toMatchObject({ code: 'fetch_failed', isTemporary: true });
});

test('a body that goes on for too long ends', async () => {
  answer = (_, response) => {
    const timer = setInterval(() => response.write(Buffer.alloc(5_000)), 20);
    response.once('close', () => clearInterval(timer));
  };
  const response = await open({ timeout: 500 }).fetch('http://api.test/');
  await expect(response.arrayBuffer()).rejects.toMatchObject({ code: 'fetch_failed', isTemporary: true });
});

test('the signal ends a request before and within its answer, with its reason', async () => {
  const { fetch } = open();
  answer = () => {};
  const before = new AbortController();
  const sent = fetch('http://api.test/', { signal: before.signal });
  before.abort(new Error('gone'));
  await expect(sent).rejects.toThrow('gone');
  answer = (_, response) => void response.write(Buffer.alloc(5_000));
  const within = new AbortController();
  const response = await fetch('http://api.test/', { signal: within.signal });
  within.abort(new Error('enough'));
  await expect(response.arrayBuffer()).rejects.toThrow('enough');
});

test('a connection that fails is a temporary failure', async () => {
  const refusing = async () => {
    throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  };
  const { fetch } = open({ connector: refusing });
  await expect(fetch('http://api.test/')).rejects.toMatchObject({ code: 'fetch_failed', isTemporary: true });
  answer = (_, response) =>
    void response.writeHead(200, { 'Content-Length': '9999' }).write('cut', () => response.destroy());
  const cut = open();
  const read = cut.fetch('http://api.test/').then((response) => response.text());
  await expect(read).rejects.toMatchObject({ code: 'fetch_failed', isTemporary: true });
});

test('a proxy leads to public and to private endpoints', async () => {
  const proxy = 'http://user:pass@proxy.test:3128';
  const { connected, fetch } = open({ proxy, loopback: true }, { hosts: ['api.test', '127.0.0.1:9999'] });
  expect(await (await fetch('http://api.test/', { headers: CREDENTIALS })).text()).toBe('ok');
  expect(await (await fetch('http://127.0.0.1:9999/')).text()).toBe('ok');
  expect(connected).toEqual(['proxy.test 3128', 'proxy.test 3128']);
  const tunnels = seen.filter(({ request }) => request.method === 'CONNECT').map(({ request }) => request);
  expect(tunnels.map(({ url }) => url)).toEqual(['93.184.216.34:80', '127.0.0.1:9999']);
  expect(JSON.stringify(tunnels[0]?.rawHeaders)).not.toContain('secret');
});

test('connections are kept for the next request', async () => {
  const { connected, fetch } = open();
  for (let i = 0; i < 3; i += 1) await text((await fetch('http://api.test/')).body as ReadableStream);
  expect(connected).toHaveLength(1);
});

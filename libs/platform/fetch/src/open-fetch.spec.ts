import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { jest } from '@jest/globals';
import { type FetchOptions, type FetchRequest, FILE_BYTES, openFetch, PAGE_BYTES } from '#platform/fetch';
import { connectorTo } from './testing/connector-to.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let answer: Answer = (_request, response) => response.end();
const seen: IncomingMessage[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  server.on('connect', (request, socket) => {
    seen.push(request);
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    server.emit('connection', socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  seen.length = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Every connection leads to the server of the test, whatever address was asked for. */
function open(options: Partial<FetchOptions> = {}) {
  const connected: string[] = [];
  const fetch = openFetch({
    ...{ allow: [], loopback: false, proxy: null, resolver: async () => ['93.184.216.34'] },
    connector: connectorTo(server, connected),
    ...options,
  });
  const get = (address: string, request: FetchRequest = {}) =>
    fetch.get(address, request, async ({ body, ...head }) => ({ ...head, text: (await bytesOf(body)).toString() }));
  return { connected, fetch, get };
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

const redirectsTo =
  (location: string): Answer =>
  (request, response) =>
    request.url === '/' ? response.writeHead(302, { Location: location }).end() : response.end('arrived');

test('a page arrives with what describes it, and no credentials are sent', async () => {
  answer = (_request, response) =>
    response.writeHead(200, { 'Content-Type': 'text/html', ETag: '"a"', 'Set-Cookie': 'a=b' }).end('<p>hello');
  const page = await open().get('http://user:secret@site.test/path?q=1#part');
  expect(page).toMatchObject({ url: 'http://site.test/path?q=1', status: 200, contentType: 'text/html', etag: '"a"' });
  expect(page.text).toBe('<p>hello');
  const [{ headers, url }] = seen as [IncomingMessage];
  expect(url).toBe('/path?q=1');
  expect(headers).toMatchObject({ host: 'site.test', 'accept-encoding': 'gzip, br, deflate' });
  for (const name of ['authorization', 'cookie', 'referer']) expect(headers).not.toHaveProperty(name);
});

test('a redirect is followed, without cookies, and each address is resolved and checked anew', async () => {
  const names: string[] = [];
  answer = (request, response) =>
    request.url === '/'
      ? response.writeHead(301, { Location: 'http://other.test/there', 'Set-Cookie': 'a=b' }).end()
      : response.end('arrived');
  const { get } = open({ resolver: async (name) => [names.push(name) === 1 ? '93.184.216.34' : '1.1.1.1'] });
  expect(await get('http://site.test/')).toMatchObject({ url: 'http://other.test/there', text: 'arrived' });
  expect(names).toEqual(['site.test', 'other.test']);
  expect(seen[1]?.headers).not.toHaveProperty('cookie');
});

test.each([
  'http://127.0.0.1/',
  'http://169.254.169.254/',
  '//localhost/',
  'http://[::ffff:10.0.0.1]/',
  'http://site.test:22/',
  'file:///etc/passwd',
])('a redirect to %s is refused, and nothing else is connected to', async (location) => {
  answer = redirectsTo(location);
  const { connected, get } = open({
    resolver: async (name) => [name === 'localhost' ? '127.0.0.1' : '93.184.216.34'],
  });
  await expect(get('http://site.test/')).rejects.toMatchObject({ code: 'fetch_refused' });
  expect(connected).toEqual(['93.184.216.34 80']);
});

test('a name that resolves to another address after the check gains nothing', async () => {
  answer = (_request, response) => response.end('ok');
  const answers = ['93.184.216.34', '127.0.0.1'];
  const { connected, get } = open({ resolver: async () => [answers.shift() as string] });
  await get('http://site.test/');
  expect(connected).toEqual(['93.184.216.34 80']);
  expect(answers).toHaveLength(1);
});

test('a redirect is read as UTF-8, and as it is where it is not', async () => {
  for (const [location, path] of [
    [Buffer.from('/krän').toString('latin1'), '/kr%C3%A4n'],
    ['/kr\u00e4n', '/kr%C3%A4n'],
  ] as const) {
    seen.length = 0;
    answer = redirectsTo(location);
    await open().get('http://site.test/');
    expect(seen[1]?.url).toBe(path);
  }
});

test('validators that are long on purpose are left out', async () => {
  answer = (_request, response) =>
    response.writeHead(200, { ETag: `"${'a'.repeat(5_000)}"`, 'Last-Modified': 'a'.repeat(5_000) }).end('ok');
  expect(await open().get('http://site.test/')).toMatchObject({ etag: null, lastModified: null });
});

test('the sixth redirect is not followed', async () => {
  answer = (request, response) => response.writeHead(302, { Location: `/${Number(request.url?.slice(1)) + 1}` }).end();
  await expect(open().get('http://site.test/1')).rejects.toMatchObject({ code: 'fetch_failed', isTemporary: false });
  expect(seen).toHaveLength(6);
});

test.each([
  ['gzip', gzipSync('packed')],
  ['x-gzip', gzipSync('packed')],
  ['br', brotliCompressSync('packed')],
  ['deflate', deflateSync('packed')],
  ['deflate', deflateRawSync('packed')],
  ['gzip, br', brotliCompressSync(gzipSync('packed'))],
])('a body in %s is decompressed', async (encoding: string, body: string | Buffer) => {
  answer = (_request, response) => response.writeHead(200, { 'Content-Encoding': encoding }).end(body);
  expect(await open().get('http://site.test/')).toMatchObject({ text: 'packed' });
});

test.each([
  ['zstd', 'x'],
  ['gzip', 'no gzip'],
  ['br', 'no brotli at all'],
  ['gzip, gzip, gzip', 'x'],
])('a body that is no %s fails the fetch', async (encoding: string, body: string | Buffer) => {
  answer = (_request, response) => response.writeHead(200, { 'Content-Encoding': encoding }).end(body);
  await expect(open().get('http://site.test/')).rejects.toMatchObject({ code: 'fetch_failed', isTemporary: false });
});

test('the limit counts decompressed bytes, and is chosen by how the body begins', async () => {
  const limitOf: FetchRequest['limitOf'] = ({ contentType, start }) =>
    contentType === 'text/html' && Buffer.from(start).includes('<html') ? PAGE_BYTES : FILE_BYTES;
  const bomb = gzipSync(`<html>${' '.repeat(PAGE_BYTES)}`);
  const headers = { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' };
  answer = (_request, response) => response.writeHead(200, headers).end(bomb);
  await expect(open().get('http://site.test/', { limitOf })).rejects.toThrow('larger than 10 MiB');
  answer = (_request, response) => response.writeHead(200, { ...headers, 'Content-Type': 'text/plain' }).end(bomb);
  expect((await open().get('http://site.test/', { limitOf })).text).toHaveLength(PAGE_BYTES + 6);
});

test('a file is at most 50 MiB, unpacked and between two ways of packing', async () => {
  answer = (_request, response) =>
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(FILE_BYTES + 1)));
  await expect(open().get('http://site.test/')).rejects.toThrow('larger than 50 MiB');
  // Blocks of gzip that hold nothing, 60 MiB of them.
  const start = gzipSync('').subarray(0, 10);
  const nothing = Buffer.from([0, 0, 0, 0xff, 0xff]);
  const inner = Buffer.concat([start, Buffer.alloc(60 * 1024 * 1024, nothing), gzipSync('').subarray(10)]);
  const outer = gzipSync(inner, { level: 1 });
  answer = (_request, response) => response.writeHead(200, { 'Content-Encoding': 'gzip, gzip' }).end(outer);
  await expect(open().get('http://site.test/')).rejects.toThrow('larger than 50 MiB');
});

test('a fetch ends after 30 seconds', async () => {
  const timeout = jest.spyOn(AbortSignal, 'timeout');
  try {
    answer = (_request, response) => response.end('ok');
    await open().get('http://site.test/');
    expect(timeout.mock.calls[0]).toEqual([30_000]);
  } finally {
    timeout.mockRestore();
  }
});

test.each([
  ['a length that is not reached', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'],
  [
    'a length and chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  ],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
  ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nabc'],
  ['a line that is no header', 'HTTP/1.1 200 OK\r\nno header\r\n\r\nabc'],
  ['a size of a chunk that is no number', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n'],
  ['headers of 70 KB', `HTTP/1.1 200 OK\r\nA: ${'a'.repeat(70_000)}\r\n\r\nabc`],
])('an answer with %s fails the fetch at once', async (_, raw) => {
  answer = ({ socket }) => socket.end(raw);
  await expect(open().get('http://site.test/')).rejects.toMatchObject({ code: 'fetch_failed', isTemporary: false });
});

test('what follows the length of a body is not read', async () => {
  answer = ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\n\r\nmore');
  expect(await open().get('http://site.test/')).toMatchObject({ text: 'abc' });
});

test('a body that comes byte by byte ends with the time of the fetch', async () => {
  answer = (_request, response) => {
    const timer = setInterval(() => response.write('a'), 5);
    response.once('close', () => clearInterval(timer));
  };
  const slow = open({ timeout: 200 });
  await expect(slow.get('http://site.test/')).rejects.toMatchObject({ code: 'fetch_failed', isTemporary: true });
  answer = ({ socket }) => {
    const timer = setInterval(() => socket.write('H'), 5);
    socket.once('close', () => clearInterval(timer)).once('error', () => undefined);
  };
  await expect(slow.get('http://site.test/')).rejects.toMatchObject({ code: 'fetch_failed' });
});

test.each([
  [429, true],
  [500, true],
  [503, true],
  [400, false],
  [401, false],
  [404, false],
  [304, false],
  [302, false],
])('status %i is a failure; it is temporary: %s', async (status, isTemporary) => {
  answer = (_request, response) => response.writeHead(status, { 'Retry-After': '7' }).end('no');
  const failure = { code: 'fetch_failed', isTemporary, retryAfter: 7_000 };
  await expect(open().get('http://site.test/')).rejects.toMatchObject(failure);
});

test('a page that has not changed answers 304', async () => {
  answer = ({ headers }, response) =>
    response
      .writeHead(headers['if-none-match'] === '"a"' && headers['if-modified-since'] !== undefined ? 304 : 200)
      .end();
  const request = { etag: '"a"', lastModified: 'Sun, 22 Nov 2026 10:00:00 GMT' };
  expect(await open().get('http://site.test/', request)).toMatchObject({ status: 304, text: '' });
});

test('a name that is not known, and a server that is slow, are temporary failures', async () => {
  for (const [code, isUnknownName] of [
    ['ENOTFOUND', true],
    ['EAI_AGAIN', false],
  ] as const) {
    const unknown = open({ resolver: () => Promise.reject(Object.assign(new Error(code), { code })) });
    const failure = { code: 'fetch_failed', isTemporary: true, isUnknownName };
    await expect(unknown.get('http://site.test/')).rejects.toMatchObject(failure);
  }
  answer = (_request, response) => response.writeHead(200).write('so far');
  const slow = open({ timeout: 100 });
  await expect(slow.get('http://site.test/')).rejects.toMatchObject({ code: 'fetch_failed', isTemporary: true });
  const deaf = open({ timeout: 100, resolver: () => new Promise(() => {}) });
  await expect(deaf.get('http://site.test/')).rejects.toMatchObject({ code: 'fetch_failed', isTemporary: true });
});

test('the caller can end a fetch', async () => {
  answer = () => undefined;
  const reason = new Error('deleted');
  const signal = AbortSignal.abort(reason);
  await expect(open().get('http://site.test/', { signal })).rejects.toBe(reason);
});

test('the next address is tried where one does not accept, and an invalid answer fails the fetch', async () => {
  answer = ({ socket }) => socket.end('nonsense');
  const tried: string[] = [];
  const { get } = open({
    resolver: async () => ['93.184.216.34', '1.1.1.1'],
    connector: async (host) => {
      tried.push(host);
      if (tried.length === 1) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    },
  });
  await expect(get('http://site.test/')).rejects.toMatchObject({ code: 'fetch_failed', isTemporary: false });
  expect(tried).toEqual(['93.184.216.34', '1.1.1.1']);
});

test('a proxy gets a tunnel to the checked address, and addresses are checked before', async () => {
  answer = (_request, response) => response.end('through');
  const { connected, get } = open({ proxy: 'http://us%20er:pw@proxy.corp:3128' });
  expect(await get('http://site.test/page')).toMatchObject({ text: 'through' });
  expect(connected).toEqual(['proxy.corp 3128']);
  const [tunnel, page] = seen as [IncomingMessage, IncomingMessage];
  expect([tunnel.method, tunnel.url]).toEqual(['CONNECT', '93.184.216.34:80']);
  expect(tunnel.headers['proxy-authorization']).toBe(`Basic ${Buffer.from('us er:pw').toString('base64')}`);
  expect([page.url, page.headers.host, page.headers['proxy-authorization']]).toEqual(['/page', 'site.test', undefined]);
  const refused = open({ proxy: 'http://proxy.corp:3128', resolver: async () => ['10.0.0.1'] });
  await expect(refused.get('http://site.test/')).rejects.toMatchObject({ code: 'fetch_refused' });
  expect(refused.connected).toEqual([]);
});

test('a proxy that changes the protocol, or ends, fails the fetch', async () => {
  const answers = ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', '', 'nonsense'];
  for (const raw of answers) {
    const proxy = createTcpServer((socket) => socket.once('data', () => socket.end(raw)));
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const fetch = openFetch({
      ...{ allow: [], loopback: false, resolver: async () => ['93.184.216.34'] },
      proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    });
    const got = fetch.get('http://site.test/', {}, async () => 'read');
    await expect(got).rejects.toMatchObject({ code: 'fetch_failed' });
    proxy.close();
  }
});

test('variables of the environment name no proxy', async () => {
  const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
  for (const name of names) process.env[name] = name.includes('NODE') ? '1' : 'http://127.0.0.1:9';
  try {
    answer = (_request, response) => response.end('direct');
    const { connected, get } = open();
    expect(await get('http://site.test/')).toMatchObject({ text: 'direct' });
    expect(connected).toEqual(['93.184.216.34 80']);
  } finally {
    for (const name of names) delete process.env[name];
  }
});

describe('what the operator has opened', () => {
  const opened = async (options: Partial<FetchOptions>, address: string, request: FetchRequest = {}) => {
    answer = (_request, response) => response.end('ok');
    return (await open(options)
      .get(address, request)
      .then(
        () => 'fetched',
        ({ code }) => code,
      )) as string;
  };
  const private4 = async () => ['10.1.2.3'];

  test.each([
    [{ host: 'wiki.corp', port: null }, 'http://wiki.corp/', 'fetched'],
    [{ host: 'wiki.corp', port: null }, 'http://WIKI.corp.:8080/', 'fetched'],
    [{ host: 'wiki.corp', port: null }, 'http://wiki.corp:3000/', 'fetch_refused'],
    [{ host: 'wiki.corp', port: 3000 }, 'http://wiki.corp:3000/', 'fetched'],
    [{ host: 'wiki.corp', port: 3000 }, 'http://wiki.corp/', 'fetch_refused'],
    [{ host: 'wiki.corp', port: null }, 'http://sub.wiki.corp/', 'fetch_refused'],
    [{ host: '*.corp', port: null }, 'http://sub.wiki.corp/', 'fetched'],
    [{ host: '*.corp', port: null }, 'http://corp/', 'fetch_refused'],
    [{ host: '*.corp', port: null }, 'http://evilcorp/', 'fetch_refused'],
    [{ network: '10.1.0.0/16', port: null }, 'http://any.test/', 'fetched'],
    [{ network: '10.1.0.0/16', port: null }, 'http://10.1.9.9/', 'fetched'],
    [{ network: '10.1.0.0/16', port: 9000 }, 'http://10.1.9.9:9000/', 'fetched'],
    [{ network: '10.1.0.0/16', port: null }, 'http://10.2.0.1/', 'fetch_refused'],
    [{ network: '10.1.0.0/16', port: null }, 'http://[::ffff:10.1.0.1]/', 'fetch_refused'],
    [{ port: 3000 }, 'http://10.1.9.9:3000/', 'fetch_refused'],
    [{ port: 3000 }, 'http://1.1.1.1:3000/', 'fetched'],
  ])('%j and %s: %s', async (rule, address, expected) => {
    expect(await opened({ allow: [rule], resolver: private4 }, address)).toBe(expected);
    expect(await opened({ resolver: private4 }, address, { allow: [rule] })).toBe(expected);
  });

  test.each(['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '0.0.0.0', '::', 'fe80::1', '::ffff:127.0.0.1'])(
    'no name leads to %s',
    async (address) => {
      const allow = [{ host: 'wiki.corp', port: null }];
      expect(await opened({ allow, resolver: async () => [address] }, 'http://wiki.corp/')).toBe('fetch_refused');
    },
  );

  test('loopback is permitted where the setting says so, on any port, and nothing else is', async () => {
    const options = { loopback: true, resolver: async () => ['127.0.0.1', '::1'] };
    expect(await opened(options, 'http://localhost:4567/')).toBe('fetched');
    expect(await opened(options, 'http://127.0.0.2:4567/')).toBe('fetched');
    expect(await opened(options, 'http://10.0.0.1/')).toBe('fetch_refused');
    expect(await opened(options, 'http://[::ffff:127.0.0.1]/')).toBe('fetch_refused');
  });
});

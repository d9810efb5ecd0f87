import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { allowRuleFor, openRelay, type Relay, type RelayedRequest } from '#platform/fetch';

let answer: (request: IncomingMessage, response: ServerResponse) => void;
let connections: number;
const server = createServer((request, response) => answer(request, response));
server.on('connection', () => {
  connections += 1;
});
let base: string;
let relay: Relay;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  answer = (_, response) => response.end('ok');
  connections = 0;
  relay = openRelay({ allow: [], loopback: false, proxy: null });
});
afterEach(() => relay.close());

const request = (url: string, details: Partial<RelayedRequest> = {}): RelayedRequest => {
  const address = new URL(url);
  return {
    ...{ url: address, method: 'POST', headers: [], body: null, allow: [allowRuleFor(address)] },
    signal: new AbortController().signal,
    ...details,
  };
};

test('a request and its answer pass as they are', async () => {
  const body = Buffer.from([0, 255, 128]);
  let seen: readonly unknown[] = [];
  answer = async (incoming, response) => {
    seen = [incoming.method, incoming.url, incoming.rawHeaders, await buffer(incoming)];
    response.writeHead(418, 'Tea', ['X-A', '1', 'X-A', '2', 'Content-Encoding', 'gzip', 'Location', '/']).end(body);
  };
  const headers = ['X-B', '1', 'x-b', '2', 'Content-Length', '3'];
  const got = await relay.send(request(`${base}/a%2Fb?q=%20`, { headers, body }));
  expect(got).toMatchObject({ status: 418, statusText: 'Tea' });
  expect(got.headers.slice(0, 8)).toEqual([...['X-A', '1', 'X-A', '2', 'Content-Encoding', 'gzip', 'Location', '/']]);
  expect(await buffer(got.body)).toEqual(body);
  const host = new URL(base).host;
  expect(seen).toEqual(['POST', '/a%2Fb?q=%20', ['Host', host, ...headers, 'Connection', 'keep-alive'], body]);
});

test('an address that no rule opens is refused, and nothing is connected to', async () => {
  for (const url of [base, base.replace('127.0.0.1', 'localhost'), 'http://169.254.169.254/']) {
    await expect(relay.send(request(url, { allow: [] }))).rejects.toMatchObject({ code: 'fetch_refused' });
  }
  const metadata = 'http://metadata.test/';
  const named = openRelay({ allow: [], loopback: false, proxy: null, resolver: async () => ['169.254.169.254'] });
  await expect(named.send(request(metadata))).rejects.toMatchObject({ code: 'fetch_refused' });
  named.close();
  expect(connections).toBe(0);
});

test('connections are kept for the next request', async () => {
  for (let i = 0; i < 3; i += 1) await buffer((await relay.send(request(base))).body);
  expect(connections).toBe(1);
});

test('a private address is reached without the proxy', async () => {
  const proxied = openRelay({ allow: [], loopback: false, proxy: 'http://127.0.0.1:9' });
  expect((await proxied.send(request(base))).status).toBe(200);
  proxied.close();
});

test('what cannot be reached, or ends without an answer, is a failure', async () => {
  await expect(relay.send(request('http://127.0.0.1:9'))).rejects.toMatchObject({ code: 'fetch_failed' });
  answer = (incoming) => incoming.socket.destroy();
  await expect(relay.send(request(base))).rejects.toMatchObject({ code: 'fetch_failed' });
});

test('the signal ends a request before and within its answer, with its reason', async () => {
  answer = () => {};
  const before = new AbortController();
  const sent = relay.send(request(base, { signal: before.signal }));
  before.abort(new Error('gone'));
  await expect(sent).rejects.toThrow('gone');
  answer = (_, response) => void response.writeHead(200).write('begun');
  const within = new AbortController();
  const { body } = await relay.send(request(base, { signal: within.signal }));
  within.abort();
  await expect(buffer(body)).rejects.toThrow();
});

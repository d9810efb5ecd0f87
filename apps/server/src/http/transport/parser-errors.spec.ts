import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expectErrorBody } from '../testing/expectations.ts';
import { useListeningApp } from '../testing/use-test-app.ts';

const http = useListeningApp();

function open(): Socket {
  const { hostname, port } = new URL(http.url);
  return connect(Number(port), hostname);
}

/** Returns everything that the server sends until it closes the connection. */
async function answerTo(bytes: string, socket = open()) {
  const received = text(socket);
  socket.write(bytes);
  return received;
}

function parsed(answer: string) {
  const end = answer.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = answer.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]));
  const body = answer.slice(end + 4);
  return { status: Number(statusLine.split(' ')[1]), headers, text: body, body: JSON.parse(body) };
}

const withKey = () => `host: x\r\nauthorization: ${http.withKey.authorization}`;

describe('what is no valid HTTP is answered with the error body, and the connection is closed', () => {
  test.each([
    ['no HTTP at all', () => 'hello\r\n\r\n'],
    ['an unknown method', () => 'FETCH / HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['a malformed request line', () => 'GET / HTTP\r\n\r\n'],
    ['an unknown version', () => 'GET / HTTP/9.9\r\nhost: x\r\n\r\n'],
    ['a malformed header', () => 'GET / HTTP/1.1\r\nhost x\r\n\r\n'],
    [
      'a content length that is no number',
      () => `POST /v3/documents HTTP/1.1\r\n${withKey()}\r\ncontent-length: ten\r\n\r\n`,
    ],
    ['two content lengths', () => 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
    [
      'a content length of a chunked body',
      () => 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
    ],
    [
      'a malformed chunk of a body',
      () => `POST /v3/documents HTTP/1.1\r\n${withKey()}\r\ntransfer-encoding: chunked\r\n\r\nnonsense\r\n`,
    ],
    ['no host', () => 'GET / HTTP/1.1\r\n\r\n'],
    ['TLS', () => '\x16\x03\x01\x02\x00\x01\x00'],
  ])('%s', async (_, bytes) => {
    const answer = parsed(await answerTo(bytes()));
    expect(answer.status).toBe(400);
    expectErrorBody(answer, 'invalid_request');
    expect(answer.headers.connection).toBe('close');
    expect(http.fake.asked).toEqual([]);
  });

  test.each([20_000, 3_000_000])('headers of %d bytes are 431', async (length) => {
    const answer = parsed(await answerTo(`GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(length)}\r\n\r\n`));
    expect(answer.status).toBe(431);
    expectErrorBody(answer, 'headers_too_large');
    expect(answer.body.message).toContain('16384 bytes');
  });

  test('a request that is not complete in time is 408', async () => {
    const server = http.app.getHttpServer();
    const connected = once(server, 'connection');
    const socket = open();
    const [accepted] = (await connected) as [Socket];
    const received = text(socket);
    // As Node does for a connection whose request takes longer than it may.
    server.emit('clientError', Object.assign(new Error('timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), accepted);
    const answer = parsed(await received);
    expect(answer.status).toBe(408);
    expectErrorBody(answer, 'request_timeout');
  });
});

test('it is not answered in the place of a request before it on the connection', async () => {
  const request = `GET /v3/documents/x HTTP/1.1\r\n${withKey()}\r\n\r\n`;
  expect(await answerTo(`${request}nonsense\r\n\r\n`)).not.toContain('400');
});

test('an expectation that the server does not know is ignored', async () => {
  const request = `GET /v3/nothing HTTP/1.1\r\n${withKey()}\r\nexpect: nothing\r\nconnection: close\r\n\r\n`;
  const answer = parsed(await answerTo(request));
  expect(answer.status).toBe(404);
  expectErrorBody(answer, 'not_found');
});

test.each(['PROPFIND', 'TRACE'])('the method %s is answered like an unknown route', async (method) => {
  const request = `${method} /v3/documents HTTP/1.1\r\n${withKey()}\r\nconnection: close\r\n\r\n`;
  const answer = parsed(await answerTo(request));
  expect(answer.status).toBe(404);
  expectErrorBody(answer, 'not_found');
});

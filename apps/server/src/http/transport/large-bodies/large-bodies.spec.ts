import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AddDocument, AddDocuments, SaveConversation } from '#features/documents/use-cases';
import { until } from '../../../../../../libs/platform/kernel/src/testing/eventually.ts';
import { asked, expectErrorBody } from '../../testing/expectations.ts';
import { listen, startTestApp } from '../../testing/fake-application.ts';
import { onOneConnection } from '../../testing/one-connection.ts';
import { useListeningApp } from '../../testing/use-test-app.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const MAX_BYTES = 3_000_000;
/** Above the size that the main thread parses. */
const LARGE = 'x'.repeat(1_500_000);

const http = useListeningApp({ maxBodyBytes: MAX_BYTES });

const filesLeft = () => readdirSync(http.options.uploadFolder);

async function post(path: string, body: string | Buffer, type = 'application/json') {
  const headers = { ...http.withKey, 'content-type': type };
  const answer = await fetch(http.url + path, { method: 'POST', headers, body });
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
}

describe('large bodies', () => {
  afterEach(() => expect(filesLeft()).toEqual([]));

  test('arrive with the fields that the route declares', async () => {
    const fields = { customId: 'c', metadata: { a: 1, b: true, c: 'd\u{1f600}' }, containerTags: ['t', 'u'] };
    const { status } = await post(
      '/v3/documents',
      JSON.stringify({ content: LARGE, ...fields, other: { content: 1 } }),
    );
    expect(status).toBe(200);
    const { document } = asked(http, AddDocument);
    expect(document).toMatchObject({ content: LARGE, customId: 'c', metadata: fields.metadata, tags: ['t', 'u'] });
  });

  test('keep metadata keys that have a meaning in JavaScript', async () => {
    const body = `{"content":"${LARGE}","metadata":{"__proto__":"p","constructor":"c"}}`;
    expect((await post('/v3/documents', body)).status).toBe(200);
    expect(JSON.stringify(asked(http, AddDocument).document.metadata)).toBe('{"__proto__":"p","constructor":"c"}');
  });

  test('arrive also if their folder was removed', async () => {
    rmSync(http.options.uploadFolder, { recursive: true });
    expect((await post('/v3/documents', JSON.stringify({ content: LARGE }))).status).toBe(200);
  });

  test('may be a batch, whose items are read one by one', async () => {
    const documents = [{ content: LARGE, customId: 'a', other: 1 }, 'text', { content: 1 }];
    const { body } = await post('/v3/documents/batch', JSON.stringify({ documents }));
    expect(body).toMatchObject({ success: 2, failed: 1 });
    expect(asked(http, AddDocuments).documents).toMatchObject([{ content: LARGE, customId: 'a' }, { content: 'text' }]);
  });

  test('may be a conversation of many messages', async () => {
    const call = { id: '1', function: { name: 'f', arguments: { deep: [1, { a: [] }] } } };
    const messages = Array.from({ length: 20_000 }, (_, i) => ({ role: 'user', content: `m${i}`, extra: [] }));
    const last = { role: 'assistant', content: null, tool_calls: [call] };
    const body = { conversationId: 'c', messages: [...messages, last] };
    expect((await post('/v4/conversations', JSON.stringify(body))).status).toBe(200);
    const { conversation } = asked(http, SaveConversation);
    expect(conversation.messages).toHaveLength(20_001);
    expect(conversation.messages[19_999]).toEqual({ role: 'user', parts: [{ text: 'm19999' }] });
    expect(conversation.messages[20_000]).toEqual({ role: 'assistant', parts: [], toolCalls: [call] });
  });

  test('are received also in small chunks, and after a byte order mark', async () => {
    const body = Buffer.from(`\ufeff{"content":"${LARGE}"}`);
    const chunks = Array.from({ length: 200 }, (_, i) => body.subarray(i * 10_000, (i + 1) * 10_000));
    const stream = ReadableStream.from(chunks.filter((chunk) => chunk.length > 0));
    const headers = { ...http.withKey, ...JSON_TYPE };
    const sent = { method: 'POST', headers, body: stream, duplex: 'half' } as RequestInit;
    expect((await fetch(`${http.url}/v3/documents`, sent)).status).toBe(200);
    expect(asked(http, AddDocument).document.content).toHaveLength(LARGE.length);
  });

  test.each([
    ['is not JSON', `{"content":"${LARGE}"`, 400, 'body'],
    [
      'is not UTF-8',
      Buffer.concat([Buffer.from(`{"content":"${LARGE}`), Buffer.from([0xff, 0x22, 0x7d])]),
      400,
      'body',
    ],
    ['is not an object', `["${LARGE}"]`, 400, 'body'],
    ['has a wrong field', `{"content":"${LARGE}","customId":1}`, 400, 'customId'],
    ['is blank', `{"content":"${' '.repeat(LARGE.length)}"}`, 400, 'content'],
    ['is too long', JSON.stringify({ content: LARGE.repeat(3) }), 413, undefined],
  ])('one that %s is refused', async (_, body, status, details) => {
    const answer = await post('/v3/documents', body);
    expect([answer.status, answer.body.details]).toEqual([status, details]);
    expect(http.fake.asked).toEqual([]);
  });

  test('of another type is refused, and the client reads the answer', async () => {
    expect((await post('/v3/documents', LARGE, 'application/xml')).body.details).toBe('Content-Type');
  });

  test('leaves the connection usable', async () => {
    const requests = [`{"content":"${LARGE}"}`, `{"content":"${LARGE}"`];
    expect(
      await onOneConnection(
        http,
        ['POST', '/v3/documents', requests[0]],
        ['POST', '/v3/documents', requests[1]],
        ['GET', '/'],
      ),
    ).toEqual({ statuses: [200, 400, 200], sockets: 1 });
  });

  test('more of them than fit into memory take turns', async () => {
    const body = JSON.stringify({ content: LARGE });
    const answers = await Promise.all(Array.from({ length: 12 }, () => post('/v3/documents', body)));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  });

  test('that end early leave nothing behind and hold up no other', async () => {
    const { hostname, port } = new URL(http.url);
    for (let i = 0; i < 6; i += 1) {
      const socket = connect(Number(port), hostname);
      const head = `POST /v3/documents HTTP/1.1\r\nhost: x\r\nauthorization: ${http.withKey.authorization}\r\ncontent-length: ${MAX_BYTES}`;
      socket.write(`${head}\r\n\r\n{"content":"${LARGE}`);
      await until(filesLeft, ({ length }) => length > 0);
      socket.destroy();
      await until(filesLeft, ({ length }) => length === 0);
    }
    expect((await post('/v3/documents', JSON.stringify({ content: LARGE }))).status).toBe(200);
    await until(filesLeft, ({ length }) => length === 0);
    expect(http.fake.asked).toHaveLength(1);
  });
});

test('the server closes while large bodies are received and parsed', async () => {
  const uploadFolder = mkdtempSync(join(tmpdir(), 'mneme-http-'));
  const other = await startTestApp({ uploadFolder });
  const { hostname, port } = new URL(await listen(other));
  const head = `POST /v3/documents HTTP/1.1\r\nhost: x\r\nauthorization: ${other.withKey.authorization}\r\ncontent-length: `;
  const whole = `{"content":"x","ignored":[${'[],'.repeat(200_000)}"${LARGE.repeat(10)}"]}`;
  const sockets = [whole, whole.slice(0, 2_000_000)].map((part) => {
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.write(`${head}${whole.length}\r\n\r\n${part}`);
    return socket;
  });
  await until(() => readdirSync(uploadFolder).length === 2);
  const closed = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.resume().once('close', resolve))));
  await other.app.close();
  await closed;
  await until(() => readdirSync(uploadFolder).length === 0);
  rmSync(uploadFolder, { recursive: true });
});

describe('limits of JSON', () => {
  const values = (count: number) => `[${'{},'.repeat(count - 1)}{}]`;

  test.each([
    ['nested deeper than 100 levels', `${'['.repeat(100)}${']'.repeat(100)}`],
    ['nested deeper than 100 levels and large', `${'['.repeat(900_000)}${']'.repeat(900_000)}`],
    ['of more than 250,000 values', values(250_000)],
    ['of more than 250,000 values and large', values(900_000)],
  ])('a body %s is refused, also under an ignored key', async (_, ignored) => {
    const answer = await http.call('POST', '/v3/documents', `{"content":"x","ignored":${ignored}}`, JSON_TYPE);
    expect(answer.status).toBe(413);
    expectErrorBody(answer, 'payload_too_large');
    expect(answer.headers['x-should-retry']).toBe('false');
    expect(http.fake.asked).toEqual([]);
  });

  test.each([
    ['100 levels deep', `${'['.repeat(99)}${']'.repeat(99)}`],
    ['of 250,000 values', values(249_997)],
  ])('a body %s is read', async (_, ignored) => {
    const answer = await http.call('POST', '/v3/documents', `{"content":"x","ignored":${ignored}}`, JSON_TYPE);
    expect(answer.status).toBe(200);
  });
});

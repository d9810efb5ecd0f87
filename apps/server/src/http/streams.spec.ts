import { readdirSync } from 'node:fs';
import { type ClientRequest, request as rawRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { AddDocument, type UploadedFile } from '#documents/use-cases';
import type { EventFeed } from '#event-feed';
import type { RecordedEvent } from '#event-store';
import { ResourceError } from '#kernel';
import { MemoryRateLimiter } from '#rate-limit';
import { event, ROW, startTestApp, type TestApp } from './testing/fake-application.ts';

let http: TestApp;
let base: string;

beforeAll(async () => {
  http = await startTestApp({ rateLimiter: new MemoryRateLimiter({ requests: 100_000, seconds: 60 }) });
  await http.app.listen(0, '127.0.0.1');
  const { port } = http.app.getHttpServer().address() as AddressInfo;
  base = `http://127.0.0.1:${port}`;
});
afterAll(() => http.app.close());
beforeEach(() => {
  Object.assign(http.fake, { asked: [], fault: null, refusal: null, uploaded: null });
});

const key = () => ({ authorization: `Bearer ${http.secret}` });

/** Waits for something that another connection brings about. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

const FILE = '/v3/documents/file';

type Part = readonly [name: string, value: string | Blob, filename?: string];

function form(parts: readonly Part[]): FormData {
  const data = new FormData();
  for (const [name, value, filename] of parts) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, value, filename);
  }
  return data;
}

const blob = (text: string, type = 'text/plain') => new Blob([text], { type });

async function upload(parts: readonly Part[], headers: Record<string, string> = {}) {
  const answer = await fetch(`${base}${FILE}`, {
    method: 'POST',
    headers: { ...key(), ...headers },
    body: form(parts),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** A multipart body that no client library would write. */
const handwritten = (...lines: readonly string[]) => Buffer.from(lines.join('\r\n'));
const postRaw = (body: Buffer, type = 'multipart/form-data; boundary=x') =>
  http.call('POST', FILE, body, { 'content-type': type });

describe('uploads', () => {
  const added = () => {
    expect(http.fake.asked).toHaveLength(1);
    return http.fake.asked[0] as AddDocument;
  };
  afterEach(() => {
    expect(readdirSync(http.options.uploadFolder)).toEqual([]);
  });

  test('the file and every part beside it', async () => {
    const { status, body } = await upload(
      [
        ['metadata', JSON.stringify({ kind: 'note', n: 1 })],
        ['file', blob('# Grüße', 'text/markdown'), 'grüße.md'],
        ['containerTag', 'a'],
        ['containerTags', '["b","a"]'],
        ['customId', 'c/1'],
        ['fileType', 'image'],
        ['mimeType', 'image/png'],
        ['filepath', '/x.md'],
        ['entityContext', 'e'],
        ['taskType', 'superrag'],
        ['dreaming', 'instant'],
        ['filterByMetadata', '{"a":["b"]}'],
        ['useAdvancedProcessing', 'true'],
        ['unknown', 'x'],
      ],
      { 'idempotency-key': 'once' },
    );
    expect([status, body]).toEqual([200, { id: 'new', status: 'queued' }]);
    const command = added();
    expect(command).toBeInstanceOf(AddDocument);
    expect(command.idempotencyKey).toBe('once');
    expect(command.document).toEqual({
      content: {
        path: expect.stringContaining(http.options.uploadFolder),
        size: 9,
        name: 'grüße.md',
        contentType: 'text/markdown',
        fileType: 'image',
        mimeType: 'image/png',
      },
      customId: 'c/1',
      tags: ['a', 'b'],
      metadata: { kind: 'note', n: 1 },
      filepath: '/x.md',
      taskType: 'superrag',
      documentDate: null,
    });
    expect(http.fake.uploaded).toBe('# Grüße');
  });

  test.each<[string, Part[], string[]]>([
    ['plain text', [['containerTags', 'org/a']], ['org/a']],
    ['text that begins like an array', [['containerTags', '[a']], ['[a']],
    ['JSON array', [['containerTags', '["a","b"]']], ['a', 'b']],
    [
      'repeated',
      [
        ['containerTags[]', 'a'],
        ['containerTags[]', 'b'],
      ],
      ['a', 'b'],
    ],
    ['none', [], ['sm_project_default']],
  ])('tags as %s', async (_, parts, tags) => {
    expect((await upload([['file', blob('x'), 'a.txt'], ...parts])).status).toBe(200);
    expect(added().document.tags).toEqual(tags);
  });

  test('metadata by key keeps texts, on top of metadata as JSON', async () => {
    await upload([
      ['file', blob('x'), 'a.txt'],
      ['metadata', '{"n":1,"b":true}'],
      ['metadata[n]', '2'],
      ['metadata[__proto__]', 'kept'],
    ]);
    expect(JSON.stringify(added().document.metadata)).toBe('{"n":"2","b":true,"__proto__":"kept"}');
  });

  test('a nameless file', async () => {
    const body = handwritten('--x', 'Content-Disposition: form-data; name="file"', '', 'hello', '--x--', '');
    expect((await postRaw(body)).status).toBe(200);
    expect((added().document.content as UploadedFile).name).toBe('unknown_file');
    expect(http.fake.uploaded).toBe('hello');
  });

  test('a name that points elsewhere is only a name', async () => {
    await upload([['file', blob('x'), '../../etc/passwd']]);
    expect((added().document.content as UploadedFile).name).not.toContain('/');
  });

  test.each<[string, Part[], string, string?]>([
    ['no part', [], 'file'],
    ['no file', [['customId', 'a']], 'file'],
    ['wrong part name', [['document', blob('x'), 'a.txt']], 'file'],
    ['empty file', [['file', blob(''), 'a.txt']], 'file'],
    [
      'two files',
      [
        ['file', blob('x'), 'a.txt'],
        ['file', blob('y'), 'b.txt'],
      ],
      'file',
    ],
    ['metadata that is no JSON', [['metadata', '{a']], 'metadata', 'invalid_metadata'],
    ['metadata with an array', [['metadata', '{"a":[1]}']], 'metadata.a', 'invalid_metadata'],
    ['metadata that is a list', [['metadata', '[1]']], 'metadata', 'invalid_metadata'],
    ['metadata beyond any limit', [['metadata', 'x'.repeat(300_000)]], 'metadata'],
    ['empty customId', [['customId', '']], 'customId'],
    ['unknown fileType', [['fileType', 'exe']], 'fileType'],
    ['image without mimeType', [['fileType', 'image']], 'mimeType'],
    ['filterByMetadata that is no JSON', [['filterByMetadata', 'x']], 'filterByMetadata'],
    ['unknown taskType', [['taskType', 'x']], 'taskType'],
    ['empty tag', [['containerTags[]', '']], 'containerTags[0]'],
  ])('%s: 400', async (name, parts, details, code = 'invalid_request') => {
    const withFile = details === 'file' ? [] : ([['file', blob('x'), 'a.txt']] as const);
    const { status, body } = await upload([...parts, ...withFile]);
    expect([name, status, body.details, body.code]).toEqual([name, 400, details, code]);
    expect(http.fake.asked).toEqual([]);
  });

  const OPENING = ['--x', 'Content-Disposition: form-data; name="file"; filename="a"', '', 'hello'];
  test.each<[string, Buffer, string]>([
    ['cut off', handwritten(...OPENING), 'multipart/form-data; boundary=x'],
    ['without a boundary', handwritten(...OPENING, '--x--', ''), 'multipart/form-data'],
    ['empty', Buffer.alloc(0), 'multipart/form-data; boundary=x'],
    ['nonsense', Buffer.from('\r\n\0\xff--'), 'multipart/form-data; boundary=x'],
    ['headers without end', handwritten('--x', 'Content-Disposition: form-data'), 'multipart/form-data; boundary=x'],
    [
      'a part named as a method of every object',
      handwritten('--x', 'Content-Disposition: form-data; name="toString"', '', 'x', ...OPENING, '--x--', ''),
      'multipart/form-data; boundary=x',
    ],
    ['no form at all', Buffer.from('{}'), 'application/json'],
  ])('a form that is %s: 400', async (_, body, type) => {
    const answer = await postRaw(body, type);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'invalid_request', message: expect.any(String) });
    expect(http.fake.asked).toEqual([]);
  });

  test('a form made anew after a redirect, whose header names the old boundary, is read', async () => {
    const answer = await postRaw(handwritten(...OPENING, '--x--', ''), 'multipart/form-data; boundary=y');
    expect(answer.status).toBe(200);
  });

  test('50 MB are taken, one byte more is not, and the client reads so', async () => {
    const full = new Blob([Buffer.alloc(52_428_800)]);
    http.fake.fault = null;
    expect((await upload([['file', full, 'a.bin']])).status).toBe(200);
    expect((added().document.content as UploadedFile).size).toBe(52_428_800);

    const { status, body } = await upload([['file', new Blob([full, 'x']), 'a.bin']]);
    expect([status, body.code, body.details]).toEqual([413, 'payload_too_large', 'file']);
    expect(http.fake.asked).toHaveLength(1);
  });

  test.each([
    ['a refusal', 503, { refusal: 'backlog_full' }],
    ['a fault', 500, { fault: new Error('broken') }],
    ['a full disk', 503, { fault: new ResourceError('no_space', 'full') }],
  ])('nothing is left after %s', async (_, status, state) => {
    Object.assign(http.fake, state);
    expect((await upload([['file', blob('x'), 'a.txt']])).status).toBe(status);
    expect(http.fake.uploaded).toBe('x');
  });

  test('nothing is left of a client that drops the connection', async () => {
    const request = openUpload();
    await until(() => readdirSync(http.options.uploadFolder).length === 1);
    request.destroy();
    await until(() => readdirSync(http.options.uploadFolder).length === 0);
    expect(http.fake.asked).toEqual([]);
  });

  /** Sends the beginning of a file and nothing more. */
  function openUpload(): ClientRequest {
    const request = rawRequest(`${base}${FILE}`, {
      method: 'POST',
      headers: { ...key(), 'content-type': 'multipart/form-data; boundary=x' },
    });
    request.on('error', () => {});
    request.write(handwritten(...OPENING, 'x'.repeat(100_000)));
    return request;
  }
});

describe('events', () => {
  let asked: { caller: unknown; options: Parameters<EventFeed['follow']>[1] } | null;

  const feed = (events: readonly RecordedEvent[], end: 'ends' | 'goes on'): EventFeed['follow'] =>
    async function* (caller, options) {
      asked = { caller, options };
      yield* events;
      if (end === 'goes on' && !options.signal.aborted) {
        await new Promise((resolve) => options.signal.addEventListener('abort', resolve, { once: true }));
      }
    };

  beforeEach(() => {
    asked = null;
    http.fake.follow = feed([], 'ends');
  });

  test('an event: where it stands, what it is, and its envelope without anything a caller sent', async () => {
    http.fake.follow = feed(
      [event(7), event(9, { type: 'ProcessingFailed', code: 'x', stage: 'embedding', attempt: 3 })],
      'ends',
    );
    const { status, headers, text } = await http.call('GET', '/v3/events');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-ratelimit-limit': '100000',
      'x-request-id': expect.any(String),
    });
    const [opening, first, second] = text.split('\n\n');
    expect(opening).toBe(':');
    const [id, type, data] = (first as string).split('\n');
    expect([id, type]).toEqual(['id: store-1:7', 'event: DocumentAdded']);
    expect(JSON.parse((data as string).slice('data: '.length))).toEqual({
      id: 'event-7',
      type: 'DocumentAdded',
      schemaVersion: 1,
      at: '2025-01-02T03:04:05.678Z',
      organization: 'acme',
      documentId: ROW.id,
      revision: 7,
      tags: ['org/a'],
      actor: 'key:k1',
      correlationId: 'c',
      causationId: null,
      contentVersion: 1,
      sizes: { characters: 5 },
    });
    expect(second).toContain('"stage":"embedding","attempt":3,"code":"x"');
    expect(text).not.toContain('SECRET');
  });

  test('an event of another stream is of no document', async () => {
    http.fake.follow = feed([{ ...event(1), stream: 'key-k1' }], 'ends');
    expect((await http.call('GET', '/v3/events')).text).toContain('"documentId":null');
  });

  test.each([
    ['Last-Event-ID', '/v3/events', { 'last-event-id': 'store-1:42' }],
    ['after', '/v3/events?after=store-1:42', {}],
    ['Last-Event-ID before after', '/v3/events?after=store-1:1', { 'last-event-id': 'store-1:42' }],
  ])('goes on behind %s', async (_, url, headers) => {
    expect((await http.call('GET', url, undefined, headers)).status).toBe(200);
    expect(asked?.options.after).toBe('42');
  });

  test.each(['store-2:42', 'store-1', 'store-1:', 'store-1:x', '42', ':', 'null'])(
    '%j is no place in this log',
    async (id) => {
      const byQuery = await http.call('GET', `/v3/events?after=${encodeURIComponent(id)}`);
      const byHeader = await http.call('GET', '/v3/events', undefined, { 'last-event-id': id });
      expect([byQuery.status, byQuery.body.details]).toEqual([400, 'after']);
      expect([byHeader.status, byHeader.body.details]).toEqual([400, 'Last-Event-ID']);
      expect(asked).toBeNull();
    },
  );

  test('from now on, of everything, unless told otherwise', async () => {
    await http.call('GET', '/v3/events');
    expect(asked).toMatchObject({
      caller: { organization: 'acme' },
      options: { after: null, types: null, tag: null, signal: expect.any(AbortSignal) },
    });
    await http.call('GET', '/v3/events?types=DocumentAdded,DocumentIndexed&containerTag=org%2Fa');
    expect(asked?.options).toMatchObject({ types: ['DocumentAdded', 'DocumentIndexed'], tag: 'org/a' });
  });

  test.each(['types=a%20b', 'types=a&types=b', 'containerTag=', 'containerTag=a&containerTag=b'])(
    '?%s: 400',
    async (query) => {
      expect((await http.call('GET', `/v3/events?${query}`)).status).toBe(400);
    },
  );

  test('HEAD does not wait for events', async () => {
    expect((await http.call('HEAD', '/v3/events')).status).toBe(200);
  });

  test('ends when the client goes', async () => {
    http.fake.follow = feed([event(1)], 'goes on');
    const controller = new AbortController();
    const answer = await fetch(`${base}/v3/events`, { headers: key(), signal: controller.signal });
    await answer.body?.getReader().read();
    expect(asked?.options.signal.aborted).toBe(false);
    controller.abort();
    await until(() => asked?.options.signal.aborted === true);
  });

  test('waits for a client that reads slowly', async () => {
    let made = 0;
    http.fake.follow = async function* () {
      for (; made < 100_000; made++) yield event(made, { correlationId: 'x'.repeat(1000) });
    };
    const answer = await fetch(`${base}/v3/events`, { headers: key() });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    // It stops at what the buffers of two sockets hold, far below the 120 MB that there are.
    for (let before = -1, still = 0; still < 1000; before = made) {
      await new Promise((resolve) => setImmediate(resolve));
      still = before === made ? still + 1 : 0;
    }
    expect(made).toBeLessThan(50_000);
    await reader.cancel();
  });

  test('ends when the server stops', async () => {
    const other = await startTestApp();
    other.fake.follow = feed([event(1)], 'goes on');
    await other.app.listen(0, '127.0.0.1');
    const { port } = other.app.getHttpServer().address() as AddressInfo;
    const headers = { authorization: `Bearer ${other.secret}` };
    const answer = await fetch(`http://127.0.0.1:${port}/v3/events`, { headers });
    const text = answer.text();
    await until(() => asked !== null);
    await other.app.close();
    expect(await text).toContain('id: store-1:1');
  });
});

test('a stop does not wait for a connection that never asked anything', async () => {
  const other = await startTestApp();
  await other.app.listen(0, '127.0.0.1');
  const { port } = other.app.getHttpServer().address() as AddressInfo;
  const accepted = new Promise((resolve) => other.app.getHttpServer().once('connection', resolve));
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await accepted;
  await other.app.close();
  await closed;
});

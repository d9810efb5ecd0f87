import { hash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { type ClientRequest, request as rawRequest } from 'node:http';
import { AddDocument, type UploadedFile } from '#features/documents/use-cases';
import { ResourceError } from '#platform/kernel';
import { until } from '../../../../../libs/platform/kernel/src/testing/eventually.ts';
import { useListeningApp } from '../testing/use-test-app.ts';

const http = useListeningApp();

const FILE = '/v3/documents/file';
const FILE_LIMIT_BYTES = 52_428_800;

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
  const answer = await fetch(`${http.url}${FILE}`, {
    method: 'POST',
    headers: { ...http.withKey, ...headers },
    body: form(parts),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** Joins lines to a multipart body, which may be malformed. */
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

  test('are received also if their folder was removed', async () => {
    rmSync(http.options.uploadFolder, { recursive: true });
    expect((await upload([['file', blob('text'), 'a.txt']])).status).toBe(200);
  });

  test('passes the file and every other part', async () => {
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
        sha256: hash('sha256', '# Grüße'),
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
    ['none', [], []],
  ])('tags as %s', async (_, parts, tags) => {
    expect((await upload([['file', blob('x'), 'a.txt'], ...parts])).status).toBe(200);
    expect(added().document.tags).toEqual(tags);
  });

  test('metadata parts by key are strings and override metadata as JSON', async () => {
    await upload([
      ['file', blob('x'), 'a.txt'],
      ['metadata', '{"n":1,"b":true}'],
      ['metadata[n]', '2'],
      ['metadata[__proto__]', 'kept'],
    ]);
    expect(JSON.stringify(added().document.metadata)).toBe('{"n":"2","b":true,"__proto__":"kept"}');
  });

  test('accepts a file without a name', async () => {
    const body = handwritten('--x', 'Content-Disposition: form-data; name="file"', '', 'hello', '--x--', '');
    expect((await postRaw(body)).status).toBe(200);
    expect((added().document.content as UploadedFile).name).toBe('unknown_file');
    expect(http.fake.uploaded).toBe('hello');
  });

  test('a file name is not used as a path', async () => {
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
    ['metadata with a number beyond a double', [['metadata', '{"a":1e400}']], 'metadata.a', 'invalid_metadata'],
    ['metadata beyond its limit', [['metadata', `{"a":"${'x'.repeat(300_000)}"}`]], 'metadata', 'invalid_metadata'],
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

  /** A form with a file and, before it, a part of these bytes. */
  const withField = (name: string, value: Buffer, type: string | null = null) =>
    Buffer.concat([
      handwritten('--x', `Content-Disposition: form-data; name="${name}"`, ...(type ? [`Content-Type: ${type}`] : [])),
      handwritten('', '', ''),
      value,
      handwritten('', '--x', 'Content-Disposition: form-data; name="file"; filename="a"', '', 'hello', '--x--', ''),
    ]);

  test.each<[string, Buffer, string, string | null]>([
    ['customId', Buffer.of(0x61, 0xff), 'customId', null],
    ['metadata', Buffer.from('{"a":"\xff"}', 'latin1'), 'metadata', null],
    ['containerTags', Buffer.of(0xc3), 'containerTags', 'text/plain; charset=utf-8'],
    ['unknown', Buffer.of(0x80), 'unknown', null],
    ['metadata', Buffer.from('{a'), 'metadata', 'application/json'],
    ['metadata[\ufffd]', Buffer.from('x'), 'body', null],
  ])('the field %s with the bytes %j: 400', async (name, value, details, type) => {
    const answer = await postRaw(withField(name, value, type));
    expect([answer.status, answer.body.details]).toEqual([400, details]);
    expect(http.fake.asked).toEqual([]);
  });

  test('a field of type application/json is parsed, and one with a charset is text', async () => {
    const json = Buffer.from('{"é":1}');
    expect((await postRaw(withField('metadata', json, 'application/json'))).status).toBe(200);
    expect(added().document.metadata).toEqual({ é: 1 });
    expect((await postRaw(withField('metadata', json, 'text/plain; charset=utf-8'))).status).toBe(200);
  });

  test('a file may hold bytes that are no UTF-8', async () => {
    const body = Buffer.concat([
      handwritten('--x', 'Content-Disposition: form-data; name="file"; filename="a.txt"', '', ''),
      Buffer.of(0x61, 0xff),
      handwritten('', '--x--', ''),
    ]);
    expect((await postRaw(body)).status).toBe(200);
    expect((added().document.content as UploadedFile).sha256).toBe(hash('sha256', Buffer.of(0x61, 0xff)));
  });

  test('fields may follow the file, a hundred of them', async () => {
    const many = Array.from({ length: 100 }, (_, i): Part => [`metadata[${i}]`, `${i}`]);
    expect((await upload([['file', blob('x'), 'a.txt'], ...many])).status).toBe(200);
    expect(Object.keys(added().document.metadata ?? {})).toHaveLength(100);
  });

  test.each([
    ['metadata', 'text/plain'],
    ['filterByMetadata', 'text/plain'],
    ['containerTags', 'text/plain'],
    ['metadata', 'application/json'],
  ])('JSON in %s (%s) that is nested too deep: 413', async (name, type) => {
    const nested = `${'['.repeat(101)}${']'.repeat(101)}`;
    const part = `content-disposition: form-data; name="${name}"\r\ncontent-type: ${type}\r\n\r\n${nested}`;
    const file = 'content-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nx';
    const answer = await postRaw(handwritten('--x', part, '--x', file, '--x--', ''));
    expect([answer.status, answer.body.code, answer.body.details]).toEqual([413, 'payload_too_large', name]);
  });

  const file: Part = ['file', blob('x'), 'a.txt'];
  const half = ['half', 'x'.repeat(524_284)] as const;
  test.each<[string, Part[]]>([
    ['more than 100 fields before the file', [...Array.from({ length: 101 }, (): Part => ['f', '']), file]],
    ['more than 100 fields behind the file', [file, ...Array.from({ length: 101 }, (): Part => ['f', ''])]],
    ['fields of more than 1 MiB before the file', [half, half, ['f', ''], file]],
    ['fields of more than 1 MiB behind the file', [file, half, half, ['f', '']]],
    [
      'names of more than 1 MiB behind the file',
      [file, ...Array.from({ length: 18 }, (): Part => ['f'.repeat(60_000), ''])],
    ],
    ['a field of more than 1 MiB', [file, ['f', 'x'.repeat(2_000_000)]]],
    ['a name of more than 1 MiB before the file', [['f'.repeat(1_200_000), ''], file]],
    ['a name of more than 1 MiB behind the file', [file, ['f'.repeat(1_200_000), '']]],
    [
      'names of 200 KB, more than 1 MiB in all',
      [file, ...Array.from({ length: 6 }, (): Part => ['f'.repeat(200_000), ''])],
    ],
    ['a file name of more than 1 MiB', [['file', blob('x'), `${'f'.repeat(1_200_000)}.txt`]]],
  ])('%s: 413, and nothing stays', async (_, parts) => {
    const { status, body } = await upload(parts);
    expect([status, body.code, body.details]).toEqual([413, 'payload_too_large', 'body']);
    expect(http.fake.asked).toEqual([]);
  });

  test.each([
    [
      'another header of more than 1 MiB',
      `content-disposition: form-data; name="f"\r\nx-other: ${'x'.repeat(1_200_000)}\r\n\r\n`,
    ],
    ['a part without a name of more than 1 MiB', `content-type: text/plain\r\n\r\n${'x'.repeat(1_200_000)}`],
  ])('%s: 413', async (_, part) => {
    const answer = await fetch(`${http.url}${FILE}`, {
      method: 'POST',
      headers: { ...http.withKey, 'content-type': 'multipart/form-data; boundary=x' },
      body: handwritten('--x', part, ...OPENING, '--x--', ''),
    });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ code: 'payload_too_large', details: 'body' });
    expect(http.fake.asked).toEqual([]);
  });

  test('fields of 1 MiB in all are read', async () => {
    expect((await upload([half, file, half])).status).toBe(200);
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

  test('a form encoded again after a redirect, with the old boundary in its header, is read', async () => {
    const answer = await postRaw(handwritten(...OPENING, '--x--', ''), 'multipart/form-data; boundary=y');
    expect(answer.status).toBe(200);
  });

  test('50 MB are accepted, one byte more is refused, and the client reads the answer', async () => {
    const full = new Blob([Buffer.alloc(52_428_800)]);
    http.fake.fault = null;
    expect((await upload([['file', full, 'a.bin']])).status).toBe(200);
    expect((added().document.content as UploadedFile).size).toBe(52_428_800);

    const { status, body } = await upload([['file', new Blob([full, 'x']), 'a.bin']]);
    expect([status, body.code, body.details]).toEqual([413, 'payload_too_large', 'file']);
    expect(http.fake.asked).toHaveLength(1);
  });

  test('a file that is too large is refused before its end has arrived, with no retry', async () => {
    const opening = handwritten('--x', 'Content-Disposition: form-data; name="file"; filename="a"', '', '');
    const piece = Buffer.alloc(1_000_000);
    const answered = Promise.withResolvers<void>();
    let sent = 0;
    // Pauses until the answer: the connection is closed behind it, and what is sent then could cost the client the answer.
    const body = new ReadableStream({
      async pull(controller) {
        if ((sent - 1) * piece.length > FILE_LIMIT_BYTES) {
          await answered.promise;
          controller.close();
          return;
        }
        controller.enqueue(sent === 0 ? opening : piece);
        sent += 1;
      },
    });
    const answer = await fetch(`${http.url}${FILE}`, {
      method: 'POST',
      headers: { ...http.withKey, 'content-type': 'multipart/form-data; boundary=x' },
      body,
      duplex: 'half',
    } as RequestInit);
    answered.resolve();
    await answer.body?.cancel();
    expect(answer.status).toBe(413);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(answer.headers.get('connection')).toBe('close');
  });

  test.each([
    ['a refusal', 503, { refusal: 'backlog_full' }],
    ['a fault', 500, { fault: new Error('broken') }],
    ['a full disk', 503, { fault: new ResourceError('no_space', 'full') }],
  ])('the file is removed after %s', async (_, status, state) => {
    Object.assign(http.fake, state);
    expect((await upload([['file', blob('x'), 'a.txt']])).status).toBe(status);
    expect(http.fake.uploaded).toBe('x');
  });

  test('the file is removed when the client disconnects', async () => {
    const request = openUpload();
    await until(() => readdirSync(http.options.uploadFolder).length === 1);
    request.destroy();
    await until(() => readdirSync(http.options.uploadFolder).length === 0);
    expect(http.fake.asked).toEqual([]);
  });

  /** Sends the beginning of a file only. */
  function openUpload(): ClientRequest {
    const request = rawRequest(`${http.url}${FILE}`, {
      method: 'POST',
      headers: { ...http.withKey, 'content-type': 'multipart/form-data; boundary=x' },
    });
    request.on('error', () => {});
    request.write(handwritten(...OPENING, 'x'.repeat(100_000)));
    return request;
  }
});

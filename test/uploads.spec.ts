import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import Supermemory, { APIError } from 'supermemory';
import { MemoryWatch, residentBytes } from './bench/support/memory.ts';
import { areEmbedded } from './support/combinations.ts';
import { eventually, Mneme, OWNER_KEY } from './support/mneme.ts';

const MAX_BYTES = 52_428_800;

let mneme: Mneme;

beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

/** Incomplete uploads. */
const incomplete = () =>
  readdirSync(join(mneme.folder, 'uploads'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );

function upload(bytes: Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}, headers = {}) {
  const form = new FormData();
  form.append('file', new Blob([bytes]), 'notes.txt');
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return mneme.request<{ id: string }>('POST', '/v3/documents/file', form, headers);
}

describe('the public client', () => {
  let attempts: number;

  /** @param streamed whether the body is sent in chunks, without its length */
  const clientThat = (streamed: boolean) =>
    new Supermemory({
      baseURL: mneme.url,
      apiKey: OWNER_KEY,
      fetch: async (input, init) => {
        // It also tests what this function can do, with an address of its own.
        if (String(input).startsWith(mneme.url)) attempts += 1;
        const { body } = init ?? {};
        if (!streamed || !(body instanceof FormData)) return fetch(input as string, init as RequestInit);
        const encoded = new Response(body);
        const headers = new Headers(init?.headers as Record<string, string>);
        headers.set('content-type', encoded.headers.get('content-type') as string);
        const options = { ...init, headers, body: encoded.body, duplex: 'half' };
        return fetch(input as string, options as RequestInit);
      },
    });

  beforeEach(() => {
    attempts = 0;
  });

  test.each([false, true])('uploads 52,428,800 bytes; streamed: %s', async (streamed) => {
    const file = new File([new Uint8Array(MAX_BYTES)], 'zeros.bin');
    const added = await clientThat(streamed).documents.uploadFile({ file, containerTag: 'large' });
    expect(added.status).toBe('queued');
    expect(attempts).toBe(1);
  });

  test.each([false, true])(
    'gets a 413 for one byte more and does not send it again; streamed: %s',
    async (streamed) => {
      const file = new File([new Uint8Array(MAX_BYTES + 1)], 'zeros.bin');
      const refused: unknown = await clientThat(streamed)
        .documents.uploadFile({ file, containerTag: 'large' })
        .catch((error) => error);
      expect(refused).toBeInstanceOf(APIError);
      expect(refused).toMatchObject({ status: 413, error: { code: 'payload_too_large', details: 'file' } });
      expect(attempts).toBe(1);
      expect(incomplete()).toEqual([]);
    },
  );
});

test('an upload is recognised by its Idempotency-Key and bytes, also after a restart', async () => {
  const bytes = new Uint8Array(randomBytes(300_000));
  const key = { 'idempotency-key': 'upload-1' };
  const { id } = (await upload(bytes, {}, key)).body;
  mneme = await mneme.restart();
  expect(await upload(bytes, {}, key)).toMatchObject({ status: 200, body: { id } });
  expect(await upload(bytes, { filepath: '/a' }, key)).toMatchObject({ status: 409 });
  bytes[1000] = (bytes[1000] as number) ^ 1;
  expect(await upload(bytes, {}, key)).toMatchObject({ status: 409 });
});

test('the same file under its customId is not processed again', async () => {
  const bytes = new Uint8Array(Buffer.from('The ferry to Hven leaves at noon.\n'.repeat(5_000)));
  const { id } = (await upload(bytes, { customId: 'ferry' })).body;
  await mneme.settled(id);
  expect(await upload(bytes, { customId: 'ferry' })).toMatchObject({ status: 200, body: { id, status: 'done' } });
});

/** Sends the beginning of an upload. */
function begin(): ClientRequest {
  const begun = request(`${mneme.url}/v3/documents/file`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OWNER_KEY}`, 'content-type': 'multipart/form-data; boundary=x' },
  });
  begun.on('error', () => {});
  begun.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n');
  begun.write(Buffer.alloc(200_000, 'x'));
  return begun;
}

test('an aborted upload leaves nothing behind', async () => {
  const begun = begin();
  await eventually(async () => (incomplete().length === 1 ? true : null));
  begun.destroy();
  await eventually(async () => (incomplete().length === 0 ? true : null));
});

test('what a killed server has received of a file is gone after the next start', async () => {
  const begun = begin();
  await eventually(async () => (incomplete().length === 1 ? true : null));
  await mneme.kill('SIGKILL');
  begun.destroy();
  expect(incomplete()).toHaveLength(1);
  mneme = await mneme.restart();
  await eventually(async () => (incomplete().length === 0 ? true : null));
});

describe('very long texts', () => {
  // More than 500,000 characters.
  const LINES = areEmbedded() ? 30_000 : 9_000;
  const line = (file: number, i: number) => `The heron ${file} counted ${i} eels near the old weir this morning.`;
  const textOf = (file: number) =>
    new Uint8Array(Buffer.from(Array.from({ length: LINES }, (_, i) => line(file, i)).join('\n')));
  const searchFor = async (q: string) => {
    const found = await mneme.post<{ results: { memory?: string }[] }>('/v4/search', {
      q,
      containerTag: 'herons',
      threshold: 0,
      searchMode: 'hybrid',
      limit: 3,
    });
    return found.body.results;
  };
  let ids: string[];

  test('are processed outside of the serving process, however many come at once', async () => {
    await mneme.addAndWait('A first document.');
    const before = residentBytes(mneme.pid);
    const watch = new MemoryWatch(mneme.pid, 20);
    const files = [0, 1, 2, 3].map(textOf);
    const answers = await Promise.all(files.map((bytes) => upload(bytes, { containerTag: 'herons' })));
    ids = answers.map(({ body }) => body.id);
    // Not by id: that answers with the whole text.
    const done = { status: ['done'], containerTags: ['herons'] };
    await eventually(async () => {
      const { body } = await mneme.post<{ pagination: { totalItems: number } }>('/v3/documents/list', done);
      return body.pagination.totalItems === files.length ? true : null;
    }, 120_000);
    watch.stop();
    // OpenSearch gets the units from a thread of the worker, which is this process here.
    if (areEmbedded('opensearch', 'nats')) {
      // 67 MB, and up to 36 more while their summaries are formed. Garbage that is collected late has added up to 23.
      expect(Math.max(...watch.samples) - before).toBeLessThan(150_000_000);
    }
  });

  test('are found by their last line, and equal what the log says', async () => {
    const last = `heron 2 counted ${LINES - 1} eels`;
    expect((await searchFor(last))[0]?.memory).toContain(line(2, LINES - 1));
    const { body } = await mneme.get(`/v3/documents/${ids[2]}`);
    expect(body.content).toBe(Buffer.from(textOf(2)).toString());
    expect((await mneme.cli('replay', '--verify')).out).toContain('No difference');
  });

  test('are gone after their deletion', async () => {
    for (const id of ids) expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
    expect(await searchFor('heron')).toEqual([]);
  });
});

import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Supermemory, { APIError } from 'supermemory';
import { eventually, Mneme, OWNER_KEY } from './support/mneme.ts';

const MAX_BYTES = 52_428_800;

let folder: string;
let mneme: Mneme;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-uploads-'));
  mneme = await Mneme.start({ folder });
});
afterAll(async () => {
  await mneme.kill();
  await rm(folder, { recursive: true, force: true });
});

/** Incomplete uploads. */
const incomplete = () =>
  readdirSync(join(folder, 'uploads'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

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
  await mneme.kill('SIGTERM');
  mneme = await Mneme.start({ folder });
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
  mneme = await Mneme.start({ folder });
  await eventually(async () => (incomplete().length === 0 ? true : null));
});

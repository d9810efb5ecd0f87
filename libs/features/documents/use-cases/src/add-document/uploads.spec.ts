import { hash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { MissingBlobError } from '#features/documents';
import { ErasureFinisher } from '#features/documents/clean-up';
import { err, ok, writeScope } from '#platform/kernel';
import { newDocument, OWNER, openUseCases, type UseCases } from '../testing.ts';
import type { UploadedFile } from './add-document.command.ts';

let useCases: UseCases;
let folder: string;
beforeAll(async () => {
  useCases = await openUseCases();
  folder = await mkdtemp(join(tmpdir(), 'mneme-uploads-'));
});
afterAll(async () => {
  await useCases.close();
  await rm(folder, { recursive: true });
});

/** A file as the edge hands it over. */
async function received(bytes: Uint8Array): Promise<UploadedFile> {
  const sha256 = hash('sha256', bytes);
  const path = join(folder, sha256);
  await writeFile(path, bytes);
  return { path, size: bytes.length, sha256, name: 'a.bin', contentType: null, fileType: null, mimeType: null };
}

/** The file where nothing can be read any more. */
const unreadable = (file: UploadedFile): UploadedFile => ({ ...file, path: join(folder, 'absent') });

const upload = (content: UploadedFile, key: string | null, details: { readonly customId?: string } = {}) =>
  useCases.add(OWNER, newDocument(['a'], { content, ...details }), key);

describe('given an Idempotency-Key of an upload', () => {
  test('then the same bytes get the same answer, and the file is not read', async () => {
    const file = await received(randomBytes(100_000));
    const first = await upload(file, 'key');
    expect(first).toMatchObject(ok({ status: 'queued' }));
    expect(await upload(unreadable(file), 'key')).toEqual(first);
  });

  test('then other bytes, or a text that is their hash, are another request', async () => {
    const file = await received(randomBytes(100));
    await upload(file, 'key-2');
    expect(await upload(await received(randomBytes(100)), 'key-2')).toEqual(err('idempotency_key_reused'));
    const text = newDocument(['a'], { content: file.sha256 });
    expect(await useCases.add(OWNER, text, 'key-2')).toEqual(err('idempotency_key_reused'));
  });
});

test.each([
  ['as a text', 'Mara sails.'],
  ['from a URL', 'https://site.example/boats'],
])('given a customId of a document that came %s, then a file is refused and changes nothing', async (how, content) => {
  const customId = `came ${how}`;
  const id = await useCases.added(['a'], { content, customId });
  const file = await received(randomBytes(100));
  expect(await upload(file, null, { customId })).toEqual(err('not_a_file'));
  expect(await upload(file, `key ${how}`, { customId })).toEqual(err('not_a_file'));
  expect(await useCases.eventTypes(id)).toEqual(['DocumentAdded']);
});

describe('given a customId of an uploaded document', () => {
  test('then the same bytes change nothing, and other bytes replace the file', async () => {
    const file = await received(randomBytes(1000));
    const added = await upload(file, null, { customId: 'own' });
    const id = added.ok ? added.value.id : '';
    await upload(file, null, { customId: 'own' });
    expect(await useCases.eventTypes(id)).toEqual(['DocumentAdded']);
    await upload(await received(randomBytes(1000)), null, { customId: 'own' });
    expect(await useCases.eventTypes(id)).toEqual(['DocumentAdded', 'ContentReplaced', 'FileRemoved']);
  });

  test('then the former bytes are erased, and by the garbage collection if the process ended before', async () => {
    const { clock, documents, erasure, texts } = useCases;
    const added = await upload(await received(randomBytes(1000)), null, { customId: 'crash' });
    const blobOf = async () => {
      const found = await documents.find(writeScope(OWNER), 'crash');
      return found.ok && 'file' in found.value.content ? found.value.content.file.blob : '';
    };
    const former = await blobOf();
    const crash = jest.spyOn(erasure, 'eraseFile').mockRejectedValueOnce(new Error('the process ended'));
    await expect(upload(await received(randomBytes(1000)), null, { customId: 'crash' })).rejects.toThrow();
    crash.mockRestore();
    expect((await texts.bytes(former)).length).toBe(1000);
    const { store } = useCases;
    const logger = { warn: () => undefined };
    await new ErasureFinisher({ store, erasure, documents, clock, logger }).finish(new AbortController().signal);
    await expect(texts.bytes(former)).rejects.toThrow(MissingBlobError);
    expect((await texts.bytes(await blobOf())).length).toBe(1000);
    expect(added.ok && (await useCases.eventTypes(added.value.id))).toContain('FileRemoved');
  });
});

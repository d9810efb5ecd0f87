import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentDeletion, DocumentRepository } from '#features/documents';
import { contentHash, err, systemScope } from '#platform/kernel';
import { createCommandHandler, createFoldCache, systemCause } from '#ports/event-store';
import type { UploadedFile } from './add-document/add-document.command.ts';
import { newDocument, ORGANIZATION, OWNER, openUseCases, type UseCases } from './testing.ts';
import { UpdateDocument } from './update-document/update-document.command.ts';
import { UpdateDocumentHandler } from './update-document/update-document.handler.ts';

/** Documents that another process deletes between the moment they are read and the moment content is stored for them. */

const LONG = 'The kettle is in the blue cupboard. '.repeat(2_000);

let useCases: UseCases;
let folder: string;
beforeEach(async () => {
  useCases = await openUseCases();
  folder = await mkdtemp(join(tmpdir(), 'mneme-deleted-meanwhile-'));
});
afterEach(async () => {
  await useCases.close();
  await rm(folder, { recursive: true });
});

/** Deletes a document in another process. */
async function remove(id: string): Promise<void> {
  const { clock, erasure, store } = useCases;
  const handler = createCommandHandler({ store, clock, cache: createFoldCache({ characters: 10_000 }) });
  const deletion = new DocumentDeletion(new DocumentRepository(handler));
  expect((await deletion.delete(systemScope(ORGANIZATION), systemCause(), id)).ok).toBe(true);
  await erasure.erase(ORGANIZATION, id);
}

/** Deletes the document before the next call of the blob store. */
function deletedBefore(call: 'get' | 'put' | 'putFile', id: string): void {
  const { blobs } = useCases;
  const original = blobs[call].bind(blobs) as (...args: readonly unknown[]) => Promise<unknown>;
  const once = async (...args: readonly unknown[]) => {
    Reflect.deleteProperty(blobs, call);
    await remove(id);
    return original(...args);
  };
  Object.assign(blobs, { [call]: once });
}

async function folders(): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const name of useCases.blobs.listFolders()) found.push(name);
  return found;
}

async function uploaded(bytes: Buffer): Promise<UploadedFile> {
  const path = join(folder, contentHash(bytes.toString('hex')));
  await writeFile(path, bytes);
  const details = { name: 'note.bin', contentType: 'application/octet-stream', fileType: null, mimeType: null };
  return { path, sha256: contentHash(bytes.toString('hex')), size: bytes.length, ...details };
}

test('an update leaves no content of a document that was deleted meanwhile', async () => {
  const { admission, clock, documents, erasure, recorder, texts } = useCases;
  const handler = new UpdateDocumentHandler(documents, texts, recorder, erasure, admission, clock);
  const id = await useCases.added(['a']);
  deletedBefore('put', id);
  const nothing = { customId: null, tags: null, filepath: null, taskType: null, documentDate: null, metadata: null };
  const update = new UpdateDocument(OWNER, id, { ...nothing, content: LONG });
  expect(await handler.execute(update)).toEqual(err('not_found'));
  expect(await folders()).toEqual([]);
});

test('a text for a document that was deleted meanwhile begins a new one and leaves nothing of it', async () => {
  const id = await useCases.added(['a'], { customId: 'note' });
  deletedBefore('put', id);
  const again = await useCases.add(OWNER, newDocument(['a'], { customId: 'note', content: LONG }));
  const renewed = again.ok ? again.value.id : '';
  expect(renewed).not.toBe(id);
  expect(await folders()).toEqual([`${ORGANIZATION}/${renewed}`]);
});

test('a text that is compared with one which is deleted meanwhile begins a new document', async () => {
  const id = await useCases.added(['a'], { customId: 'note', content: LONG });
  deletedBefore('get', id);
  const again = await useCases.add(OWNER, newDocument(['a'], { customId: 'note', content: `${LONG} It is old.` }));
  expect(again.ok && again.value.id !== id).toBe(true);
});

test('a file that is sent again for a document that was deleted meanwhile is not kept', async () => {
  const file = await uploaded(randomBytes(1_000));
  const id = await useCases.added(['a'], { customId: 'file', content: file });
  deletedBefore('putFile', id);
  await useCases.add(OWNER, newDocument(['a'], { customId: 'file', content: file }));
  expect((await folders()).filter((name) => name.endsWith(id))).toEqual([]);
});

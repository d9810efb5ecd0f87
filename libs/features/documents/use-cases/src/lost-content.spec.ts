import { documentStream, type FileRef, KeptReadings } from '#features/documents';
import { ResourceError, systemScope } from '#platform/kernel';
import { GetDocumentHandler } from './get-document/get-document.handler.ts';
import { GetDocument } from './get-document/get-document.query.ts';
import { GetDocumentChunksHandler } from './get-document-chunks/get-document-chunks.handler.ts';
import { GetDocumentChunks } from './get-document-chunks/get-document-chunks.query.ts';
import { GetFileLinkHandler } from './get-file-link/get-file-link.handler.ts';
import { GetFileLink } from './get-file-link/get-file-link.query.ts';
import { OpenFileHandler } from './open-file/open-file.handler.ts';
import { OpenFile } from './open-file/open-file.query.ts';
import { ORGANIZATION, OWNER, openUseCases, type UseCases } from './testing.ts';

/** Requests that find out that a blob is gone. */

let useCases: UseCases;
beforeEach(async () => {
  useCases = await openUseCases();
});
afterEach(() => useCases.close());

const LONG = 'The kettle whistles. '.repeat(3_000);
const VERY_LONG = 'The kettle whistles. '.repeat(20_000);

const get = async (id: string, asOf: number | null = null) => {
  const { documents, past, contents, blobs, clock } = useCases;
  const readings = new KeptReadings(blobs);
  const handler = new GetDocumentHandler(documents, past, contents, readings, clock);
  const found = await handler.execute(new GetDocument(OWNER, id, asOf));
  if (!found.ok) throw new Error(found.error);
  return found.value;
};

const loseBlobsOf = (id: string) => useCases.blobs.deletePrefix(`${ORGANIZATION}/${id}/`);

/** A document that is done. */
async function done(content: string): Promise<string> {
  const id = await useCases.added(['a'], { content });
  const { texts } = useCases;
  const chunks = await texts.storeList(ORGANIZATION, id, [['c1', 0, content.length - 1] as const]);
  const memories = { inline: [['m1', 0, content.length - 1, null] as const] };
  const formed = { stage: 'chunking', contentVersion: 1 } as const;
  await useCases.append(
    id,
    {
      ...{ type: 'ContentExtracted', stage: 'extracting', contentVersion: 1 },
      payload: { text: null, title: null, type: 'text' },
    },
    { ...formed, type: 'ContentChunked', payload: { chunks, unitKey: 'key' } },
    { ...formed, type: 'MemoriesFormed', payload: { memories } },
    { type: 'DocumentIndexed', stage: 'indexing', contentVersion: 1, payload: null },
  );
  return id;
}

const eventsOf = async (id: string) => (await useCases.store.readStream(documentStream(ORGANIZATION, id))).events;
const failuresOf = async (id: string) =>
  (await eventsOf(id)).filter(
    ({ envelope: { type, code } }) => type === 'ProcessingFailed' && code === 'content_missing',
  );

const FAILED = { row: { stage: 'failed', error: { code: 'content_missing' } } };

const readers: readonly (readonly [string, (id: string) => Promise<unknown>])[] = [
  ['a document', (id) => get(id)],
  ['a document at a past time', (id) => get(id, useCases.clock.now())],
  [
    'its chunks',
    (id) =>
      new GetDocumentChunksHandler(useCases.documents, useCases.contents).execute(new GetDocumentChunks(OWNER, id)),
  ],
  ['the contents of a list', (id) => useCases.contents.ofRecords([{ organization: ORGANIZATION, id }])],
];

test.each(readers)('the first read of %s that finds a loss records it, and no later one does', async (_, read) => {
  const id = await done(LONG);
  await loseBlobsOf(id);
  await Promise.all([read(id), read(id)]);
  expect(await failuresOf(id)).toHaveLength(1);
  const before = (await eventsOf(id)).length;
  await read(id);
  expect(await get(id)).toMatchObject({ ...FAILED, content: null });
  expect(await eventsOf(id)).toHaveLength(before);
  const { events } = await useCases.store.readStream('content-loss');
  expect(events.map(({ envelope: { type, stage } }) => [type, stage])).toEqual([['ContentLossCounted', 'reads']]);
});

test.each([
  ['that fits into memory', LONG],
  ['that is read in pieces', VERY_LONG],
])('the answer that finds out that a text %s is lost shows the document as failed', async (_, content) => {
  const id = await done(content);
  expect(await get(id)).toMatchObject({ row: { stage: 'done' } });
  await loseBlobsOf(id);
  expect(await get(id)).toMatchObject(FAILED);
});

test('the download of a lost file records the loss', async () => {
  const id = await useCases.added(['a']);
  const blob = `${ORGANIZATION}/${id}/a.upload`;
  const file: FileRef = { blob, bytes: 3, name: 'a.csv', contentType: null, fileType: null, mimeType: null };
  await useCases.blobs.put(blob, Buffer.from('a,b'));
  await useCases.append(id, { type: 'ContentReplaced', contentVersion: 2, payload: { content: { file } } });
  const { documents, fileLinks, blobs } = useCases;
  const link = await new GetFileLinkHandler(documents, fileLinks).execute(new GetFileLink(OWNER, id));
  if (!link.ok) throw new Error(link.error);
  const open = () => new OpenFileHandler(documents, fileLinks, blobs).execute(new OpenFile(link.value.token));
  expect(await open()).toMatchObject({ ok: true });
  await loseBlobsOf(id);
  expect(await open()).toEqual({ ok: false, error: 'dead_link' });
  expect(await failuresOf(id)).toHaveLength(1);
});

test('content that is late, and a store that does not answer, are no loss', async () => {
  const id = await done(LONG);
  const { blobs } = useCases;
  const get1 = blobs.get.bind(blobs);
  let asked = 0;
  blobs.get = async (key) => {
    asked += 1;
    return asked === 1 ? null : get1(key);
  };
  expect(await get(id)).toMatchObject({ row: { stage: 'done' }, content: LONG });
  blobs.get = () => Promise.reject(new ResourceError('io_error', 'the disk does not answer'));
  await expect(get(id)).rejects.toThrow('the disk does not answer');
  blobs.get = get1;
  expect(await get(id)).toMatchObject({ row: { stage: 'done' }, content: LONG });
  expect(await failuresOf(id)).toEqual([]);
});

test('a document that was changed or deleted while it was read has lost nothing', async () => {
  const [changed, deleted] = [await done(LONG), await done(LONG)];
  const documents = await Promise.all(
    [changed, deleted].map((id) => useCases.documents.load(systemScope(ORGANIZATION), id)),
  );
  await useCases.append(changed, {
    ...{ type: 'ContentReplaced', contentVersion: 2 },
    payload: { content: { text: { inline: 'The pan is hot.' } } },
  });
  await useCases.append(deleted, { type: 'DocumentDeleted', payload: null });
  for (const id of [changed, deleted]) await loseBlobsOf(id);
  for (const document of documents) {
    if (document.status !== 'live') throw new Error(document.status);
    expect(await useCases.contents.of(document)).toBeNull();
  }
  for (const id of [changed, deleted]) expect(await failuresOf(id)).toEqual([]);
});

test('more than ten losses within a minute are not recorded, until the content is back or the loss is accepted', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 12; i += 1) ids.push(await done(`${i} ${LONG}`));
  for (const id of ids) await loseBlobsOf(id);
  for (const id of ids) await get(id);
  const failed = async () => {
    const counts = await Promise.all(ids.map(async (id) => (await failuresOf(id)).length));
    return counts.filter((count) => count > 0).length;
  };
  const { losses } = useCases.documents;
  expect(await failed()).toBe(10);
  expect(await losses.suspension()).toMatchObject({ documents: 1 });
  const last = ids.at(-1) as string;
  expect(await get(last)).toMatchObject({ row: { stage: 'done' }, content: null });

  const eleventh = ids.at(-2) as string;
  await useCases.texts.store(ORGANIZATION, eleventh, `10 ${LONG}`);
  expect(await get(eleventh)).toMatchObject({ content: `10 ${LONG}` });
  expect(await losses.suspension()).toBeNull();

  useCases.clock.advance(60_000);
  expect(await get(last)).toMatchObject(FAILED);
});

test('a loss that cannot be recorded does not keep the rest of the document from being read', async () => {
  const id = await done(LONG);
  await loseBlobsOf(id);
  const { lost } = useCases.documents;
  const record = lost.record.bind(lost);
  lost.record = () => Promise.reject(new ResourceError('no_space', 'the disk is full'));
  expect(await get(id)).toMatchObject({ row: { stage: 'done' }, content: null });
  lost.record = record;
  expect(await get(id)).toMatchObject(FAILED);
});

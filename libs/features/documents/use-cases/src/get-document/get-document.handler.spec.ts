import { KeptReadings, type Live, type MemoryRef } from '#features/documents';
import { err, ok, type Principal, systemScope } from '#platform/kernel';
import { OF_OTHER_ORGANIZATION, ORGANIZATION, openUseCases, principalOf, type UseCases } from '../testing.ts';
import { GetDocumentHandler } from './get-document.handler.ts';
import { GetDocument } from './get-document.query.ts';

let useCases: UseCases;
let handler: GetDocumentHandler;
beforeAll(async () => {
  useCases = await openUseCases();
  handler = new GetDocumentHandler(
    useCases.documents,
    useCases.past,
    useCases.contents,
    new KeptReadings(useCases.blobs),
    useCases.clock,
  );
});
afterAll(() => useCases.close());

const get = (principal: Principal, id: string) => handler.execute(new GetDocument(principal, id));

test.each([
  ['that may write it', principalOf(['b', 'c'])],
  ['that may only read it', principalOf(['b', 'c'], { writableTags: [] })],
])('one matching tag permits the read by a principal %s', async (name, principal) => {
  const id = await useCases.added(['a', 'b'], { customId: name, content: 'hello' });
  const expected = ok({ row: { id, tags: ['a', 'b'], stage: 'queued' }, content: 'hello' });
  expect(await get(principal, id)).toMatchObject(expected);
  expect(await get(principal, name)).toMatchObject(expected);
});

test.each([
  ['no tag of the document', principalOf(['c']), 'forbidden', 'not_found'],
  ['no tag at all', principalOf([]), 'forbidden', 'not_found'],
  ['another organization', OF_OTHER_ORGANIZATION, 'not_found', 'not_found'],
])('a principal with %s is refused', async (name, principal, refusal, byName) => {
  const id = await useCases.added(['a'], { customId: name });
  expect(await get(principal, id)).toEqual(err(refusal));
  expect(await get(principal, name)).toEqual(err(byName));
});

test('of a past time the document is as it was, with the rights of today', async () => {
  const id = await useCases.added(['a'], { customId: 'past', content: 'The kettle is blue.' });
  const change = async (event: Parameters<UseCases['append']>[1]) => {
    const before = useCases.clock.now();
    useCases.clock.advance(1_000);
    await useCases.append(id, event);
    return before;
  };
  const before = await change({
    ...{ type: 'ContentReplaced', contentVersion: 2 },
    payload: { content: { text: { inline: 'The kettle is red.' } } },
  });
  const between = await change({ type: 'DetailsChanged', payload: { metadata: { kind: 'note' } } });
  const asOf = (at: number, principal = principalOf(['a'])) => handler.execute(new GetDocument(principal, 'past', at));
  expect(await asOf(before)).toMatchObject(ok({ row: { id, metadata: null }, content: 'The kettle is blue.' }));
  expect(await asOf(between)).toMatchObject(ok({ row: { metadata: null }, content: 'The kettle is red.' }));
  expect(await asOf(useCases.clock.now())).toMatchObject(ok({ row: { metadata: { kind: 'note' } } }));
  expect(await asOf(before - 60_000)).toEqual(err('not_found'));
  expect(await asOf(before, principalOf(['b']))).toEqual(err('not_found'));
  await useCases.append(id, { type: 'DocumentDeleted', payload: null });
  expect(await asOf(before)).toEqual(err('not_found'));
});

test('the status is that of the content which was read, whatever is recorded meanwhile', async () => {
  const id = await useCases.added(['a'], { content: 'https://site.example/boats' });
  const of = async (document: Live) => {
    const content = await useCases.contents.of(document);
    await useCases.append(id, {
      type: 'StageStarted',
      contentVersion: 1,
      stage: 'extracting',
      attempt: 1,
      payload: null,
    });
    return content;
  };
  const contents = new Proxy(useCases.contents, {
    get: (target, key) => (key === 'of' ? of : Reflect.get(target, key).bind(target)),
  });
  const { documents, past, blobs, clock } = useCases;
  const meanwhile = new GetDocumentHandler(documents, past, contents, new KeptReadings(blobs), clock);
  const read = await meanwhile.execute(new GetDocument(principalOf(['a']), id));
  expect(read).toMatchObject(ok({ row: { stage: 'queued' }, content: 'https://site.example/boats', memories: [] }));
});

test('an unknown id is not found', async () => {
  expect(await get(principalOf(['a']), 'x'.repeat(22))).toEqual(err('not_found'));
});

test('a file that is being read shows how far it is', async () => {
  const file = {
    blob: `${ORGANIZATION}/x/a.file`,
    bytes: 3,
    name: 'a.pdf',
    contentType: null,
    fileType: null,
    mimeType: null,
  };
  const id = await useCases.added(['a']);
  const progress = { done: 12, total: 200, unit: 'pages' } as const;
  const source = { bytes: file.blob, by: 'ocr eng' };
  const readings = new KeptReadings(useCases.blobs);
  const shown = async () => (await get(principalOf(['a']), id)) as { value: { progress: unknown } };
  await useCases.append(
    id,
    { type: 'ContentReplaced', contentVersion: 2, payload: { content: { file } } },
    { type: 'StageStarted', stage: 'extracting', contentVersion: 2, attempt: 1, payload: null },
  );
  expect((await shown()).value.progress).toBeNull();
  await readings.store({ organization: ORGANIZATION, id }, { version: 1, source, progress, parts: 12, before: 0 }, []);
  expect((await shown()).value.progress).toBeNull();
  await readings.store({ organization: ORGANIZATION, id }, { version: 2, source, progress, parts: 12, before: 0 }, []);
  expect((await shown()).value.progress).toEqual(progress);
  expect(await get(principalOf(['c']), id)).toEqual(err('forbidden'));
});

test('a long document is read in pieces that make the same content and the same memories', async () => {
  const sentence = 'The 😀 says "[1,[2]]", \\ and ü. ';
  const content = `\uD800 ${sentence.repeat(12_000)}`;
  const id = await useCases.added(['a'], { content });
  const appended = `The end of ${id}.`;
  const memories = Array.from({ length: 12_000 }, (_, i): MemoryRef => {
    const start = 2 + i * sentence.length;
    return [`m${i}`, start, start + sentence.length - 1, i % 2 === 0 ? null : 'He said "],[" \\'];
  });
  const last: MemoryRef = ['last', content.length, content.length + appended.length, null];
  const formed = { stage: 'chunking', contentVersion: 2 } as const;
  await useCases.append(
    id,
    { type: 'ContentAppended', contentVersion: 2, payload: { text: { inline: appended } } },
    {
      ...{ type: 'ContentExtracted', stage: 'extracting', contentVersion: 2 },
      payload: { text: null, title: null, type: 'text' },
    },
    { ...formed, type: 'ContentChunked', payload: { chunks: { inline: [] }, unitKey: 'key' } },
    {
      ...{ ...formed, type: 'MemoriesFormed' },
      payload: { memories: await useCases.texts.storeList(ORGANIZATION, id, [...memories, last]) },
    },
  );
  const found = await get(principalOf(['a']), id);
  if (!found.ok || !('pieces' in found.value) || found.value.pieces === null)
    throw new Error('it is not read in pieces');
  const pieces = await Array.fromAsync(found.value.pieces);
  expect(pieces.length).toBeGreaterThan(3);
  expect(pieces.join('') === `${content}${appended}`).toBe(true);
  const live = (await useCases.documents.load(systemScope(ORGANIZATION), id)) as Live;
  const units = await useCases.contents.units(live, 'memory');
  expect(await Array.fromAsync(found.value.eachMemory, ({ id, text }) => [id, text])).toEqual(
    units.map((unit) => [unit.id, unit.text]),
  );
});

test('of a long document whose text is lost, the rest is read', async () => {
  const id = await useCases.added(['a'], { content: 'Long. '.repeat(60_000) });
  await useCases.blobs.deletePrefix(`${ORGANIZATION}/${id}/`);
  const found = await get(principalOf(['a']), id);
  expect(found).toMatchObject(ok({ row: { id }, pieces: null }));
});

test('content of more than 64 MB is omitted', async () => {
  const id = await useCases.added(['a'], { content: 'x'.repeat(64_000_001) });
  expect(await get(principalOf(['a']), id)).toMatchObject(ok({ row: { id }, pieces: null, contentOmitted: true }));
});

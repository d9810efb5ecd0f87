import { documentStream } from '#features/documents';
import { err, ok, readScope } from '#platform/kernel';
import type { NewDocument } from './add-document/add-document.command.ts';
import { newDocument, ORGANIZATION, OWNER, openUseCases, type UseCases } from './testing.ts';
import { UpdateDocument } from './update-document/update-document.command.ts';
import { UpdateDocumentHandler } from './update-document/update-document.handler.ts';

const TOO_MANY = err('too_many_tags');
const tags = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `tag-${from + i}`);
/** 32 tags with this many bytes as JSON. */
const tagsOf = (bytes: number) =>
  tags(32).map((tag, i) => tag.padEnd((i === 0 ? bytes % 32 : 0) + Math.floor(bytes / 32) - 3, 'x'));

let useCases: UseCases;
beforeEach(async () => {
  useCases = await openUseCases();
});
afterEach(() => useCases.close());

const add = (document: NewDocument) => useCases.add(OWNER, document);
const named = (details: Partial<NewDocument> = {}) => newDocument(['tag-0'], { customId: 'x', ...details });
const save = (names: readonly string[]) => {
  const messages = [{ role: 'user', parts: [{ text: 'Hello.' }] }] as const;
  return useCases.save(OWNER, { conversationId: 'x', messages, tags: names, metadata: null });
};
const update = (names: readonly string[] | null, details = {}) => {
  const { documents, texts, recorder, erasure, admission, clock } = useCases;
  const handler = new UpdateDocumentHandler(documents, texts, recorder, erasure, admission, clock);
  const none = { content: null, metadata: null, customId: null, filepath: null, taskType: null, documentDate: null };
  return handler.execute(new UpdateDocument(OWNER, 'x', { ...none, tags: names, ...details }));
};
const found = async () => {
  const document = await useCases.documents.find(readScope(OWNER), 'x');
  if (!document.ok) throw new Error(document.error);
  return document.value;
};

describe('given a new document', () => {
  test('with 64 tags, or 8 KiB of them, then it is added', async () => {
    expect(Buffer.byteLength(JSON.stringify(tagsOf(8191)))).toBe(8192);
    for (const names of [tags(64), tagsOf(8191)]) expect(await add(newDocument(names))).toMatchObject({ ok: true });
  });

  test('with more, then it is refused, by each route', async () => {
    for (const names of [tags(65), tagsOf(8192)]) {
      const head = await useCases.head();
      expect(await add(newDocument(names))).toEqual(TOO_MANY);
      expect(await save(names)).toEqual(TOO_MANY);
      expect(await useCases.addAll(OWNER, [newDocument(names)])).toEqual(ok([TOO_MANY]));
      expect(await useCases.head()).toBe(head);
    }
  });
});

test('an update to more tags is refused', async () => {
  await useCases.added(tags(60), { customId: 'x' });
  const head = await useCases.head();
  expect(await update(tags(65))).toEqual(TOO_MANY);
  expect(await update(tags(65), { customId: 'y' })).toEqual(TOO_MANY);
  expect(await useCases.head()).toBe(head);
});

test('a document that has too many tags already can be changed, except for more tags', async () => {
  const id = await useCases.added(['tag-0'], { customId: 'x' });
  await useCases.changeTags(id, tags(100));
  expect(await add(named({ content: 'Another text.', tags: [] }))).toMatchObject(ok({ id }));
  expect(await update(null, { metadata: { a: 1 } })).toMatchObject(ok({ id }));
  expect(await update(tags(101))).toEqual(TOO_MANY);
  expect(await update(tags(64))).toMatchObject(ok({ id }));
});

test('600 items of a batch with one customId are one append of at most 12 events', async () => {
  await useCases.added(['tag-0'], { customId: 'x', content: 'Begin.' });
  const metadata = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`m${i}`, 'ä'.repeat(5_200)]));
  const items = Array.from({ length: 600 }, (_, i) => named({ content: `Line ${i}.`, metadata: { ...metadata, i } }));
  const { events: before } = await useCases.store.readStream(documentStream(ORGANIZATION, (await found()).id));
  expect(await useCases.addAll(OWNER, items)).toMatchObject({ ok: true });
  const { events } = await useCases.store.readStream(documentStream(ORGANIZATION, (await found()).id));
  expect(events.length - before.length).toBeLessThanOrEqual(12);
  const text = await useCases.texts.content(await found());
  expect(text).toBe(['Begin.', ...items.map(({ content }) => content)].join('\n'));
  expect((await found()).metadata).toEqual({ ...metadata, i: 599 });
  const head = await useCases.head();
  await useCases.addAll(OWNER, items, null, true);
  expect(await useCases.head()).toBe(head);
});

test('metadata of 64 KiB in one value is recorded', async () => {
  const metadata = { key: 'a'.repeat(64 * 1024 - 10) };
  expect(Buffer.byteLength(JSON.stringify(metadata))).toBe(64 * 1024);
  expect(await add(named({ metadata, content: 'b'.repeat(29_000) }))).toMatchObject({ ok: true });
  expect(await add(named({ metadata: { other: 'ä'.repeat(20_000) }, content: 'b'.repeat(29_000) }))).toMatchObject({
    ok: true,
  });
  expect(await update(null, { metadata })).toMatchObject({ ok: true });
  expect((await found()).metadata).toEqual(metadata);
});

test('a change of more events than one append may hold is recorded in several', async () => {
  const id = await useCases.added(['tag-0'], { customId: 'x' });
  const events = Array.from({ length: 30 }, (_, i) => {
    const payload = { content: { text: { inline: `Version ${i}.` } } };
    return { type: 'ContentReplaced', contentVersion: i + 2, payload } as const;
  });
  await useCases.append(id, ...events);
  expect(await useCases.texts.content(await found())).toBe('Version 29.');
});

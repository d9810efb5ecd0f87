import { type Entry, historyOf, memoriesOf } from './support/memories.ts';
import { Mneme } from './support/mneme.ts';

/** The id of the first of memories that say the same goes on to concern the others when it leaves. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

let tags = 0;
const newTag = () => `carried-${tags++}`;

const SAID = 'Mara lives in Oslo near the harbour, in a yellow house with a small garden behind it.';
const SAID_AGAIN = 'MARA lives in Oslo near  the harbour, in a yellow house with a small garden behind it!';
const FOLDED = 'mara lives in oslo near the harbour in a yellow house with a small garden behind it';
const OTHER = 'Ruben paints boats in the winter, and repairs the nets of the fishermen in the spring.';

function inTag(tag = newTag()) {
  const add = (content: string, more: object = {}) => mneme.addAndWait(content, { containerTag: tag, ...more });
  return { ...memoriesOf(() => mneme, tag), tag, add };
}

const remove = async (id: string) => expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
const removeMany = async (selection: object) =>
  expect((await mneme.request('DELETE', '/v3/documents/bulk', selection)).status).toBe(200);
const change = async (id: string, body: object) => {
  expect((await mneme.request('PATCH', `/v3/documents/${id}`, body)).status).toBe(200);
  await mneme.settled(id);
};
/** The id of the memory that a list shows. */
const listed = async ({ list }: ReturnType<typeof inTag>, text = SAID) =>
  (await list()).memoryEntries.find(({ memory }) => memory.toLowerCase() === text.toLowerCase())?.id;
const carriedIn = async () => (await mneme.cli('events', 'export', '--types', 'MemoryIdCarried')).out;
const updatedAtOf = async (id: string) =>
  (await mneme.get<{ updatedAt: string }>(`/v3/documents/${id}`)).body.updatedAt;

test('after its document is deleted', async () => {
  const own = inTag();
  const [first, second] = [await own.add(SAID), await own.add(SAID)];
  const id = await listed(own);
  const updatedAt = await updatedAtOf(second);
  await remove(first);
  const [entry] = (await own.list()).memoryEntries as (Entry & { documentIds: string[]; updatedAt: string })[];
  expect(entry).toMatchObject({ memory: SAID, version: 1, sourceCount: 1, documentIds: [second], updatedAt });
  expect(entry?.id).not.toBe(id);
  expect(await historyOf(mneme, id)).toEqual(['PassageTouched', 'MemoryIdCarried']);
  expect((await own.forget({ id })).status).toBe(200);
  expect((await own.list()).memoryEntries).toEqual([]);
  expect((await own.forget({ id })).status).toBe(409);
  expect((await own.restore(id)).body).toMatchObject({ restored: [{ id: entry?.id, memory: SAID, version: 1 }] });
  const { status, body } = await own.patch({ id, newContent: 'Mara lives in Bergen.' });
  expect([status, body.memory, body.version, body.rootMemoryId]).toEqual([200, 'Mara lives in Bergen.', 2, entry?.id]);
  expect((await own.forgetMatching({ ids: [id] })).body).toMatchObject({ count: 1 });
  expect(await mneme.cli('replay', '--verify')).toMatchObject({ code: 0 });
});

test('from document to document, with every id and every version before', async () => {
  const own = inTag();
  const documents = [await own.add(SAID), await own.add(SAID_AGAIN), await own.add(SAID)] as const;
  const ids = [await listed(own)];
  const { body } = await own.patch({ id: ids[0], newContent: 'Mara lives in Bergen.' });
  ids.push(body.id);
  for (const document of documents.slice(0, 2)) {
    await remove(document);
    ids.push(await listed(own, 'Mara lives in Bergen.'));
  }
  for (const id of ids) {
    expect((await own.forget({ id })).status).toBe(200);
    expect((await own.list()).memoryEntries).toEqual([]);
    expect((await own.restore(id)).body).toMatchObject({ restored: [{ memory: 'Mara lives in Bergen.' }] });
  }
  await remove(documents[2]);
  for (const id of ids) expect((await own.forget({ id })).status).toBe(404);
});

test.each<[how: string, removal: (ids: readonly string[]) => Promise<unknown>]>([
  ['one by one at the same time', (ids) => Promise.all(ids.map(remove))],
  ['by their ids', (ids) => removeMany({ ids })],
  ['by their filepath', () => removeMany({ filepath: '/letters/' })],
])('after several documents are deleted %s', async (_, removal) => {
  const own = inTag();
  const documents: string[] = [];
  for (const filepath of ['/letters/1', '/letters/2', '/letters/3']) documents.push(await own.add(SAID, { filepath }));
  await own.add(SAID, { filepath: '/calls/1' });
  const id = await listed(own);
  await removal(documents);
  expect((await own.list()).memoryEntries).toMatchObject([{ memory: SAID, sourceCount: 1 }]);
  expect((await own.forget({ id })).status).toBe(200);
  expect((await own.list()).memoryEntries).toEqual([]);
});

test('after an edit, until the text returns', async () => {
  const own = inTag();
  const [first] = [await own.add(`${SAID}\n\n${OTHER}`), await own.add(SAID)];
  const id = await listed(own);
  await change(first, { content: OTHER });
  expect((await own.forget({ id })).status).toBe(200);
  expect((await own.list()).memoryEntries.map(({ memory }) => memory)).toEqual([OTHER]);
  expect((await own.restore(id)).body).toMatchObject({ restored: [{ memory: SAID }] });
  await change(first, { content: `${OTHER}\n\n${SAID}` });
  expect(await listed(own)).toBe(id);
  expect((await own.restore(id)).body).toMatchObject({ restored: [{ id }] });
  expect((await own.forget({ id })).status).toBe(200);
  expect((await own.list()).memoryEntries.map(({ memory }) => memory)).toEqual([OTHER]);
});

test('after an edit to what cannot be read', async () => {
  const own = inTag();
  const [first, second] = [await own.add(SAID), await own.add(SAID)];
  const id = await listed(own);
  expect((await mneme.request('PATCH', `/v3/documents/${first}`, { content: 'http://127.0.0.1:1/' })).status).toBe(200);
  await mneme.settled(first);
  expect((await own.list()).memoryEntries).toMatchObject([{ memory: SAID, documentIds: [second] }]);
  expect((await own.forget({ id })).status).toBe(200);
  expect((await own.list()).memoryEntries).toEqual([]);
});

test('after a change of tags, in the former tag', async () => {
  const [own, other] = [inTag(), inTag()];
  const [first] = [await own.add(SAID, { customId: own.tag }), await own.add(SAID)];
  const [id] = [await listed(own)];
  await change(first, { containerTags: [other.tag] });
  expect((await own.forget({ id })).status).toBe(200);
  expect((await own.list()).memoryEntries).toEqual([]);
  expect((await other.list()).memoryEntries).toMatchObject([{ id, memory: SAID, isForgotten: false }]);
  expect((await other.forget({ id })).status).toBe(200);
  expect((await other.list()).memoryEntries).toEqual([]);
});

test('when it is sent again with another tag', async () => {
  const [own, other] = [inTag(), inTag()];
  const customId = own.tag;
  await own.add(SAID, { customId });
  await own.add(SAID);
  const before = await carriedIn();
  await mneme.addAndWait(SAID, { containerTag: other.tag, customId });
  expect(await carriedIn()).not.toBe(before);
});

test('of which one was recorded directly', async () => {
  const own = inTag();
  const first = await own.add(SAID);
  const id = await listed(own);
  const [direct] = await own.record(FOLDED);
  await remove(first);
  expect(await historyOf(mneme, id)).toEqual(['MemoryRecorded', 'MemoryIdCarried']);
  expect((await own.forget({ id })).status).toBe(200);
  expect((await own.restore(id)).body).toMatchObject({ restored: [{ id: direct?.id, memory: FOLDED }] });
});

test('nothing is recorded where nothing is repeated, or the first one stays', async () => {
  const before = await carriedIn();
  const [own, other] = [inTag(), inTag()];
  await own.record(FOLDED);
  const [later, alone] = [await own.add(SAID), await own.add(OTHER)];
  const elsewhere = await other.add(SAID);
  await change(alone, { content: 'Ruben has sold his boats.' });
  for (const id of [later, alone, elsewhere]) await remove(id);
  expect(await carriedIn()).toBe(before);
});

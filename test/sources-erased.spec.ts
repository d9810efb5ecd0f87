import { type Entry, historyOf, MEMORIES, memoriesOf } from './support/memories.ts';
import { Mneme } from './support/mneme.ts';

/** Of memories that say the same, the first one is erased or leaves: the next one is listed under its own id. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

let tags = 0;
const newTag = () => `erased-${tags++}`;

const SAID = 'Mara lives in Oslo near the harbour, in a yellow house with a small garden behind it.';
const FOLDED = 'mara lives in oslo near the harbour in a yellow house with a small garden behind it';
const OTHER = 'Ruben paints boats in the winter, and repairs the nets of the fishermen in the spring.';
const CORRECTED = 'Mara lives in Bergen.';

function inTag(tag = newTag()) {
  const own = memoriesOf(() => mneme, tag);
  return {
    ...own,
    tag,
    add: (content: string, more: object = {}) => mneme.addAndWait(content, { containerTag: tag, ...more }),
    /** The memories that a list shows with a text. */
    listed: async (text = SAID) => {
      const { memoryEntries } = await own.list();
      return memoryEntries.filter(({ memory }) => memory === text) as (Entry & { documentIds: string[] })[];
    },
    /** Expects that no request of the tag finds a memory by an id. */
    expectGone: async (id: string | undefined) => {
      const before = await own.list({ includeForgotten: true });
      expect([(await own.forget({ id })).status, (await own.patch({ id, newContent: OTHER })).status]).toEqual([
        404, 404,
      ]);
      expect((await own.restore(id)).body).toMatchObject({ restored: [] });
      expect((await own.forgetMatching({ ids: [id] })).body).toMatchObject({ count: 0 });
      expect(await own.list({ includeForgotten: true })).toEqual(before);
    },
  };
}

const remove = async (id: string) => expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
const removeMany = async (selection: object) =>
  expect((await mneme.request('DELETE', '/v3/documents/bulk', selection)).status).toBe(200);
const change = async (id: string, body: object) => {
  expect((await mneme.request('PATCH', `/v3/documents/${id}`, body)).status).toBe(200);
  await mneme.settled(id);
};
const eventsOf = async (id: string | undefined) => (await mneme.get(`${MEMORIES}/${id}/events`)).status;
/** The id of the only memory of a document. */
async function memoryOf(document: string): Promise<string | undefined> {
  const { body } = await mneme.get<{ memories: { id: string }[] }>(`/v3/documents/${document}`);
  expect(body.memories).toHaveLength(1);
  return body.memories[0]?.id;
}

test.each<[how: string, leave: (first: string) => Promise<unknown>]>([
  ['its document is deleted', (id) => remove(id)],
  ['its document is deleted by ids', (id) => removeMany({ ids: [id] })],
  ['its document is deleted by filepath', () => removeMany({ filepath: '/first/' })],
  ['its document is edited', (id) => change(id, { content: OTHER })],
  ['its document is edited to what cannot be read', (id) => change(id, { content: 'http://127.0.0.1:1/' })],
  ['its document gets another tag', (id) => change(id, { containerTags: [newTag()] })],
])('the next one is listed under its own id when %s', async (_, leave) => {
  const own = inTag();
  const first = await own.add(SAID, { filepath: '/first/1' });
  const [second, third] = [await own.add(SAID), await own.add(SAID)];
  const [id, next] = [await memoryOf(first), await memoryOf(second)];
  expect(await own.listed()).toMatchObject([{ id, sourceCount: 3, documentIds: [first, second, third] }]);
  await leave(first);
  expect(await own.listed()).toMatchObject([{ id: next, sourceCount: 2, documentIds: [second, third], version: 1 }]);
  await own.expectGone(id);
  // Nothing was recorded of the others.
  expect(await eventsOf(next)).toBe(404);
  expect((await own.forget({ id: next })).status).toBe(200);
  expect(await own.listed()).toEqual([]);
});

test('the next one has its own versions, and no id of a version of the first one names it', async () => {
  const own = inTag();
  const [first, second] = [await own.add(SAID), await own.add(SAID)];
  const [id, next] = [await memoryOf(first), await memoryOf(second)];
  const { body } = await own.patch({ id, newContent: CORRECTED });
  const history = await historyOf(mneme, next);
  await remove(first);
  const [left] = await own.listed(CORRECTED);
  expect(left).toMatchObject({ rootMemoryId: next, version: 2, documentIds: [second] });
  for (const erased of [id, body.id]) await own.expectGone(erased);
  expect(await historyOf(mneme, next)).toEqual(history);
  expect(await historyOf(mneme, id)).toEqual(['PassageTouched', 'MemoryRevised', 'DocumentDeleted']);
  expect((await own.patch({ id: left?.id, newContent: SAID })).body).toMatchObject({ version: 3, rootMemoryId: next });
  expect(await mneme.cli('replay', '--verify')).toMatchObject({ code: 0 });
});

test('a memory that was recorded directly is the next one after a document', async () => {
  const own = inTag();
  const first = await own.add(SAID);
  const id = await memoryOf(first);
  const [direct] = await own.record(FOLDED);
  await remove(first);
  expect((await own.list()).memoryEntries).toMatchObject([{ id: direct?.id, memory: FOLDED, sourceCount: 0 }]);
  await own.expectGone(id);
});

test('after a deletion of their tag, the one that has another tag is listed there under its own id', async () => {
  const [own, other] = [inTag(), inTag()];
  const documents = [await own.add(SAID), await own.add(SAID)];
  const both = await mneme.addAndWait(SAID, { containerTags: [own.tag, other.tag] });
  const [id, next] = [await memoryOf(documents[0] ?? ''), await memoryOf(both)];
  expect((await mneme.request('DELETE', `/v3/container-tags/${own.tag}`)).status).toBe(200);
  expect((await own.list()).memoryEntries).toEqual([]);
  expect(await other.listed()).toMatchObject([{ id: next, sourceCount: 1, documentIds: [both] }]);
  for (const tag of [own, other]) await tag.expectGone(id);
});

test('a text that returns to the first document is listed under the former id', async () => {
  const own = inTag();
  const [first, second] = [await own.add(SAID), await own.add(SAID)];
  const [id, next] = [await memoryOf(first), await memoryOf(second)];
  await change(first, { content: OTHER });
  expect(await own.listed()).toMatchObject([{ id: next, documentIds: [second] }]);
  await change(first, { content: `${OTHER}\n\n${SAID}` });
  expect(await own.listed()).toMatchObject([{ id, documentIds: [first, second] }]);
});

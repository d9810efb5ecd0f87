import { type Entry, historyOf, memoriesOf } from './support/memories.ts';
import { Mneme } from './support/mneme.ts';

/** Memories that say the same: from several documents, or recorded beside them. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

let tags = 0;
const newTag = () => `sources-${tags++}`;

const SAID = 'Mara lives in Oslo near the harbour, in a yellow house with a small garden behind it.';
const SAID_AGAIN = 'MARA lives in Oslo near  the harbour, in a yellow house with a small garden behind it!';
const FOLDED = 'mara lives in oslo near the harbour in a yellow house with a small garden behind it';
const OTHER = 'Ruben paints boats in the winter, and repairs the nets of the fishermen in the spring.';

function inTag(tag = newTag()) {
  const own = memoriesOf(() => mneme, tag);
  return {
    ...own,
    tag,
    add: (content: string, more: object = {}) => mneme.addAndWait(content, { containerTag: tag, ...more }),
    idsOf: async (q: string) => (await own.search(q, { limit: 20 })).map(({ id }) => id),
  };
}

test('what several documents say is listed once, with all of them, by the one that was there first', async () => {
  const { add, record, list } = inTag();
  const [direct] = await record({ content: FOLDED, metadata: { sure: true } });
  const first = await add(SAID);
  const second = await add(`${OTHER}\n\n${SAID_AGAIN}`);
  const { memoryEntries, pagination } = await list({ order: 'asc' });
  expect(memoryEntries).toMatchObject([
    { id: direct?.id, memory: FOLDED, sourceCount: 2, documentIds: [first, second] },
    { memory: OTHER, sourceCount: 1, documentIds: [second] },
  ]);
  expect(pagination).toMatchObject({ totalItems: 2 });
  const page = await list({ order: 'asc', limit: 1, page: 2 });
  expect(page.memoryEntries).toMatchObject([{ memory: OTHER }]);
  const filters = { AND: [{ key: 'sure', value: 'true', negate: true }] };
  expect((await list({ filters })).memoryEntries).toContainEqual(
    expect.objectContaining({ memory: SAID, sourceCount: 2, documentIds: [first, second] }),
  );
  expect((await mneme.request('DELETE', `/v3/documents/${first}`)).status).toBe(204);
  expect((await list({ order: 'asc' })).memoryEntries[0]).toMatchObject({ sourceCount: 1, documentIds: [second] });
  expect(await mneme.cli('replay', '--verify')).toMatchObject({ code: 0 });
});

test('what several documents say, and what was recorded, is forgotten and restored at once by any id', async () => {
  const { add, record, list, found, forget, restore } = inTag();
  await add(SAID);
  await add(SAID_AGAIN);
  await add(OTHER);
  const [direct] = await record({ content: FOLDED, metadata: { sure: true } });
  expect(await found('Where does Mara live?', { limit: 20 })).not.toEqual([OTHER]);
  expect((await forget({ id: direct?.id, reason: 'She moved.' })).status).toBe(200);
  expect(await found('Where does Mara live?', { limit: 20 })).not.toContain(SAID);
  expect((await list()).memoryEntries.map(({ memory }) => memory)).toEqual([OTHER]);
  const all = (await list({ includeForgotten: true })).memoryEntries;
  const forgotten = all.filter((one) => one.isForgotten).map(({ id }) => id);
  expect(forgotten).toHaveLength(3);
  expect((await forget({ id: forgotten[0] })).status).toBe(409);
  expect((await restore(forgotten[1])).body).toMatchObject({ restored: [{ id: forgotten[1] }] });
  expect((await list({ includeForgotten: true })).memoryEntries.filter((one) => one.isForgotten)).toEqual([]);
});

test('by its text in the form of one of them', async () => {
  const { add, list, forget } = inTag();
  await add(SAID);
  await add(SAID_AGAIN);
  expect((await forget({ content: FOLDED })).status).toBe(404);
  expect((await forget({ content: SAID_AGAIN })).status).toBe(200);
  expect((await list()).memoryEntries).toEqual([]);
  expect((await forget({ content: SAID })).status).toBe(409);
});

test('a correction concerns all of them, and each keeps its own metadata', async () => {
  const { add, record, found, patch, list, idsOf } = inTag();
  await add(SAID, { metadata: { from: 'letter' } });
  await record({ content: SAID_AGAIN, metadata: { from: 'call' } });
  const [id] = await idsOf('Where does Mara live?');
  const { status, body } = await patch({ id, newContent: 'Mara lives in Bergen.' });
  expect([status, body.memory, body.version]).toEqual([200, 'Mara lives in Bergen.', 2]);
  expect(await found('Where does Mara live?')).toEqual(['Mara lives in Bergen.']);
  const all = (await list({ includeForgotten: true })).memoryEntries as (Entry & { metadata: object })[];
  expect(all).toMatchObject([
    { memory: 'Mara lives in Bergen.', version: 2, metadata: { from: 'letter' }, sourceCount: 1 },
  ]);
});

test('two corrections at the same time leave them one', async () => {
  const { add, record, patch, list } = inTag();
  await add(SAID);
  await add(SAID_AGAIN);
  const [direct] = await record(FOLDED);
  const corrected = await Promise.all(
    ['Mara lives in Bergen.', 'Mara lives in Tromsø.'].map((newContent) => patch({ id: direct?.id, newContent })),
  );
  expect(corrected.map(({ status, body }) => [status, body.version]).sort()).toEqual([
    [200, 2],
    [200, 3],
  ]);
  const last = corrected.find(({ body }) => body.version === 3)?.body.memory;
  expect((await list()).memoryEntries).toMatchObject([{ memory: last, version: 3, sourceCount: 2 }]);
});

test('statements of other speakers, dates or tags, and questions, are others', async () => {
  const { tag, add, record, list, forget } = inTag();
  const yesterday = 'Mara sailed to Bergen yesterday.';
  await add(yesterday, { documentDate: '2024-05-02' });
  await add(yesterday, { documentDate: '2024-05-09' });
  await add(yesterday, { documentDate: '2024-05-02T10:00:00Z' });
  await record('Is Mara in Bergen?', 'Is Mara in Bergen.');
  const elsewhere = inTag();
  await elsewhere.add(yesterday, { documentDate: '2024-05-02' });
  const both = await mneme.addAndWait(yesterday, {
    ...{ containerTags: [tag, elsewhere.tag], containerTag: undefined, documentDate: '2024-05-02' },
  });
  expect((await forget({ content: 'Is Mara in Bergen?' })).status).toBe(200);
  const entries = async () => (await list()).memoryEntries as (Entry & { documentIds: string[] })[];
  expect((await entries()).map(({ memory }) => memory)).toContain('Is Mara in Bergen.');
  const { documentIds: others = [] } = (await entries()).find(({ documentIds: [id] }) => id === both) ?? {};
  expect(others).toEqual([both]);
  const first = (await entries()).find(({ memory, documentIds: [id] }) => memory === yesterday && id !== both);
  expect((await forget({ id: first?.id })).status).toBe(200);
  const left = (await entries()).filter(({ memory }) => memory === yesterday);
  expect(left.length).toBe(2);
  expect((await elsewhere.list()).memoryEntries).toHaveLength(2);
});

test('forgetting what a search finds counts a statement once, and concerns all that say it', async () => {
  const { add, record, forgetMatching, list } = inTag();
  await add(SAID);
  await add(SAID_AGAIN);
  await record(SAID);
  const query = { query: 'Where does Mara live near the harbour?', threshold: 0 };
  expect((await forgetMatching({ ...query, dryRun: true })).body).toMatchObject({ count: 1 });
  expect((await forgetMatching(query)).body).toMatchObject({ count: 1 });
  expect((await list()).memoryEntries).toEqual([]);
});

test('what documents said before an edit or a deletion is no longer concerned', async () => {
  const { add, record, list, forget, restore } = inTag();
  const edited = await add(SAID);
  const deleted = await add(SAID_AGAIN);
  const [direct] = await record(SAID);
  expect((await mneme.request('PATCH', `/v3/documents/${edited}`, { content: OTHER })).status).toBe(200);
  await mneme.settled(edited);
  expect((await mneme.request('DELETE', `/v3/documents/${deleted}`)).status).toBe(204);
  expect((await forget({ id: direct?.id })).status).toBe(200);
  expect((await list()).memoryEntries.map(({ memory }) => memory)).toEqual([OTHER]);
  await restore(direct?.id);
  expect((await list()).memoryEntries.map(({ memory }) => memory).sort()).toEqual([OTHER, SAID].sort());
});

test('as of a past time, what said the same then is one memory', async () => {
  const { add, record, patch, list } = inTag();
  const [direct] = await record(FOLDED);
  const document = await add(SAID);
  const id = await add(OTHER);
  const at = Date.now();
  while (Date.now() <= at) await new Promise((resolve) => setImmediate(resolve));
  await patch({ id: direct?.id, newContent: 'Mara lives in Bergen.' });
  expect((await mneme.request('PATCH', `/v3/documents/${id}`, { content: SAID_AGAIN })).status).toBe(200);
  await mneme.settled(id);
  const then = await list({ asOf: new Date(at).toISOString(), order: 'asc' });
  expect(then.memoryEntries).toMatchObject([
    { id: direct?.id, memory: FOLDED, version: 1, sourceCount: 1, documentIds: [document] },
    { memory: OTHER, sourceCount: 1, documentIds: [id] },
  ]);
  expect(then.pagination).toMatchObject({ totalItems: 2 });
  const second = await list({ asOf: new Date(at).toISOString(), order: 'asc', page: 2, limit: 1 });
  expect(second.memoryEntries).toMatchObject([{ memory: OTHER }]);
  expect((await list()).memoryEntries.map(({ memory }) => memory).sort()).toEqual([
    SAID_AGAIN,
    'Mara lives in Bergen.',
  ]);
});

describe('the id of the first one goes on to concern the others', () => {
  const remove = async (id: string) => expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
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
    expect([status, body.memory, body.version, body.rootMemoryId]).toEqual([
      200,
      'Mara lives in Bergen.',
      2,
      entry?.id,
    ]);
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

  test('after several documents are deleted, one by one at the same time, or by their ids', async () => {
    for (const removal of [
      (ids: readonly string[]) => Promise.all(ids.map(remove)),
      async (ids: readonly string[]) =>
        expect((await mneme.request('DELETE', '/v3/documents/bulk', { ids })).status).toBe(200),
    ]) {
      const own = inTag();
      const documents = [await own.add(SAID), await own.add(SAID), await own.add(SAID)];
      await own.add(SAID);
      const id = await listed(own);
      await removal(documents);
      expect((await own.list()).memoryEntries).toMatchObject([{ memory: SAID, sourceCount: 1 }]);
      expect((await own.forget({ id })).status).toBe(200);
      expect((await own.list()).memoryEntries).toEqual([]);
    }
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
    expect((await mneme.request('PATCH', `/v3/documents/${first}`, { content: 'http://127.0.0.1:1/' })).status).toBe(
      200,
    );
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
});

import { now } from './support/clock.ts';
import { type Entry, memoriesOf } from './support/memories.ts';
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

test('of memories that say the same, a search shows the oldest one', async () => {
  const { add, record, list, search } = inTag();
  const first = await add(`${OTHER}\n\n${SAID_AGAIN}`);
  await add(SAID);
  await record({ content: SAID });
  const ofSearch = async () => {
    const [best] = await search('Where does Mara live, in Oslo near the harbour?', { include: { documents: true } });
    return best;
  };
  const listed = async () => (await list()).memoryEntries.find(({ memory }) => memory !== OTHER);
  const shown = await listed();
  expect(shown).toMatchObject({ memory: SAID_AGAIN });
  expect(await ofSearch()).toMatchObject({ id: shown?.id, memory: SAID_AGAIN, documents: [{ id: first }] });
  expect((await mneme.request('DELETE', `/v3/documents/${first}`)).status).toBe(204);
  const next = await listed();
  expect(next?.id).not.toBe(shown?.id);
  expect(await ofSearch()).toMatchObject({ id: next?.id, memory: SAID });
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
  const at = await now();
  await patch({ id: direct?.id, newContent: 'Mara lives in Bergen.' });
  expect((await mneme.request('PATCH', `/v3/documents/${id}`, { content: SAID_AGAIN })).status).toBe(200);
  await mneme.settled(id);
  const then = await list({ asOf: at, order: 'asc' });
  expect(then.memoryEntries).toMatchObject([
    { id: direct?.id, memory: FOLDED, version: 1, sourceCount: 1, documentIds: [document] },
    { memory: OTHER, sourceCount: 1, documentIds: [id] },
  ]);
  expect(then.pagination).toMatchObject({ totalItems: 2 });
  const second = await list({ asOf: at, order: 'asc', page: 2, limit: 1 });
  expect(second.memoryEntries).toMatchObject([{ memory: OTHER }]);
  expect((await list()).memoryEntries.map(({ memory }) => memory).sort()).toEqual([
    SAID_AGAIN,
    'Mara lives in Bergen.',
  ]);
});

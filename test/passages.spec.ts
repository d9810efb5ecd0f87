import { untilErased } from './support/erasure.ts';
import { historyOf, memoriesOf } from './support/memories.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** What callers do with memories that were formed from documents. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

let tags = 0;
const newTag = () => `reader-${tags++}`;

const BEES = 'Mara keeps four hives of bees in the orchard behind the old mill near the river.';
const HONEY = 'The honey is sold every Saturday at the market in the square beside the church.';
const WASPS = 'Last summer a nest of hornets was found under the roof of the shed at the gate.';
const TEXT = [BEES, HONEY, WASPS].join('\n\n');

const MODES = ['memories', 'hybrid', 'documents'];

async function withText(text: string, tag = newTag()) {
  const id = await mneme.addAndWait(text, { containerTag: tag });
  const own = memoriesOf(() => mneme, tag);
  /** Texts of memories and chunks. */
  const shown = async (q: string, more: object = {}) =>
    (await own.search(q, more)).map((hit) => hit.memory ?? (hit as { chunk?: string }).chunk ?? '');
  const chunks = async (q: string, more: object = {}) => {
    const asked = { q, containerTags: [tag], limit: 100, ...more };
    const { body } = await mneme.post<{ results: { chunks: { content: string }[] }[] }>('/v3/search', asked);
    return body.results.flatMap((result) => result.chunks.map(({ content }) => content));
  };
  const idOf = async (memory: string) => (await own.search(memory)).find((hit) => hit.memory === memory)?.id;
  const add = async (content: string) => {
    expect((await mneme.request('PATCH', `/v3/documents/${id}`, { content })).status).toBe(200);
    await mneme.settled(id);
  };
  return { ...own, id, tag, shown, chunks, idOf, edit: add };
}

test('a memory of a document is forgotten and restored by its id', async () => {
  const { id, found, list, search, forget, restore, idOf, dynamic } = await withText(TEXT);
  const bees = await idOf(BEES);
  expect(await forget({ id: bees, reason: 'They swarmed.' })).toMatchObject({
    ...{ status: 200, body: { id: bees, forgotten: true } },
  });
  expect(await found('bees in hives')).not.toContain(BEES);
  expect(await found('*')).toEqual([WASPS, HONEY]);
  expect((await dynamic()).dynamic).toEqual([WASPS, HONEY]);
  const all = { include: { forgottenMemories: true, documents: true } };
  expect(await search('bees in hives', all)).toContainEqual(
    expect.objectContaining({
      id: bees,
      memory: BEES,
      isForgotten: true,
      documents: [expect.objectContaining({ id })],
    }),
  );
  expect((await list({ includeForgotten: true })).memoryEntries).toContainEqual(
    expect.objectContaining({
      ...{ id: bees, memory: BEES, isForgotten: true, forgetReason: 'They swarmed.', version: 1 },
      ...{ sourceCount: 1, documentIds: [id] },
    }),
  );
  const again = await forget({ id: bees });
  expect([again.status, again.headers.get('x-should-retry')]).toEqual([409, 'false']);
  expect(await historyOf(mneme, bees)).toEqual(['PassageTouched', 'MemoryForgotten']);
  expect((await restore(bees)).body).toMatchObject({ restored: [{ id: bees, memory: BEES, version: 1 }] });
  expect((await found('bees in hives'))[0]).toBe(BEES);
  expect((await found('*')).sort()).toEqual([WASPS, HONEY, BEES].sort());
});

test('a memory of a document is forgotten by its text, and beside direct ones by a query', async () => {
  const { record, forget, forgetMatching, found, list } = await withText(TEXT);
  await record(HONEY);
  expect(await forget({ content: WASPS })).toMatchObject({ status: 200 });
  expect(await forget({ content: WASPS })).toMatchObject({ status: 409 });
  const query = { query: 'The honey is sold every Saturday at the market', threshold: 0.6 };
  expect((await forgetMatching({ ...query, dryRun: true })).body).toMatchObject({ count: 1 });
  expect((await forgetMatching(query)).body).toMatchObject({ count: 1 });
  expect(await found('*')).toEqual([BEES]);
  expect((await list()).memoryEntries.map(({ memory }) => memory)).toEqual([BEES]);
});

test('what is forgotten is in no chunk, and stays in the document', async () => {
  const { id, shown, chunks, forget, restore, idOf } = await withText(TEXT);
  const wasps = await idOf(WASPS);
  await forget({ id: wasps });
  for (const searchMode of MODES)
    for (const more of [{}, { rewriteQuery: true }, { include: { forgottenMemories: searchMode === 'documents' } }])
      for (const text of await shown('hornets under the roof of the shed', { searchMode, ...more }))
        expect(text).not.toContain('hornets');
  for (const more of [{}, { onlyMatchingChunks: false }, { includeSummary: true }])
    for (const text of await chunks('hornets under the roof', more)) expect(text).not.toContain('hornets');
  for (const text of await chunks('*')) expect(text).not.toContain('hornets');
  expect(await shown('hives of bees', { searchMode: 'documents' })).toEqual([`${BEES}\n\n${HONEY}`]);
  const { body } = await mneme.get(`/v3/documents/${id}`);
  expect(body.content).toBe(TEXT);
  const all = await mneme.get<{ chunks: { content: string }[] }>(`/v3/documents/${id}/chunks`);
  expect(all.body.chunks.map(({ content }) => content).join()).toContain('hornets');
  await restore(wasps);
  expect((await chunks('hornets under the roof')).join()).toContain('hornets');
});

test('a document of which nothing is left is not found at all', async () => {
  const { shown, chunks, forget, found } = await withText('Tuva is allergic to walnuts.');
  await forget({ content: 'Tuva is allergic to walnuts.' });
  for (const searchMode of MODES) expect(await shown('allergic to walnuts', { searchMode })).toEqual([]);
  expect(await chunks('allergic to walnuts')).toEqual([]);
  expect(await found('*')).toEqual([]);
});

describe('a passage that a search has shown', () => {
  interface Passage {
    readonly id: string;
    readonly chunk: string;
  }
  const passageIn = async ({ search }: Awaited<ReturnType<typeof withText>>, q = 'hives of bees') =>
    (await search(q, { searchMode: 'documents' }))[0] as Passage | undefined;
  const isGone = async ({ shown, chunks }: Awaited<ReturnType<typeof withText>>, ...words: readonly string[]) => {
    for (const q of words) {
      for (const searchMode of MODES) expect((await shown(q, { searchMode })).join()).not.toContain(q);
      expect((await chunks(q)).join()).not.toContain(q);
    }
  };

  test.each([
    ['its id', ({ id }: Passage) => ({ id })],
    ['its text', ({ chunk }: Passage) => ({ content: chunk })],
  ])('is forgotten by %s, with all its memories', async (_, named) => {
    const own = await withText(TEXT);
    const passage = (await passageIn(own)) ?? { id: '', chunk: '' };
    expect(passage.chunk).toBe(TEXT);
    expect(await own.forget({ ...named(passage), reason: 'They moved.' })).toMatchObject({ status: 200 });
    await isGone(own, 'bees', 'honey', 'hornets');
    const { memoryEntries } = await own.list({ includeForgotten: true });
    expect(memoryEntries.map((entry) => [entry.isForgotten, entry.memory]).sort()).toEqual(
      [BEES, HONEY, WASPS].map((memory) => [true, memory]).sort(),
    );
    const again = await own.forget(named(passage));
    expect([again.status, again.headers.get('x-should-retry')]).toEqual([409, 'false']);
    expect(again.body).toMatchObject({ code: 'already_forgotten' });
  });

  test('is forgotten by the text that remains of it', async () => {
    const own = await withText(TEXT);
    await own.forget({ content: WASPS });
    expect(await own.forget({ content: TEXT })).toMatchObject({ status: 200 });
    await isGone(own, 'bees', 'honey', 'hornets');
    const other = await withText(TEXT);
    await other.forget({ content: WASPS });
    expect(await other.forget({ content: (await passageIn(other))?.chunk })).toMatchObject({ status: 200 });
    await isGone(other, 'bees', 'honey');
  });

  test('is forgotten by the id or the whole text of its document', async () => {
    const note = '\n[SAVE:2026-11-27]\nTuva keeps a canoe in the boathouse.\n[/SAVE]\n';
    const own = await withText(note);
    expect(await own.forget({ content: `${note} ` })).toMatchObject({ status: 404 });
    expect(await own.forget({ content: note })).toMatchObject({ status: 200 });
    await isGone(own, 'canoe');
    const other = await withText(TEXT);
    expect(await other.forget({ id: other.id })).toMatchObject({ status: 200 });
    await isGone(other, 'bees', 'honey', 'hornets');
  });

  test('leaves the other passages of its document, and other tags, as they are', async () => {
    const long = Array.from({ length: 60 }, (_, i) => `Room ${i} of the museum shows ${i} carved boats and oars.`);
    const own = await withText(long.join('\n\n'));
    const other = await withText(long.join('\n\n'));
    const passage = await passageIn(own, 'Room 1 of the museum');
    expect(await other.forget({ id: passage?.id })).toMatchObject({ status: 404 });
    expect(await own.forget({ id: own.id })).toMatchObject({ status: 404 });
    const before = (await own.texts()).length;
    expect(await own.forget({ id: passage?.id })).toMatchObject({ status: 200 });
    const left = (await own.texts({ limit: 100 })).join('\n');
    expect(before).toBeGreaterThan(1);
    expect(left).not.toBe('');
    for (const line of passage?.chunk.split('\n\n') ?? []) expect(left).not.toContain(line);
    expect(long.filter((line) => left.includes(line))).toHaveLength(
      long.length - (passage?.chunk.split('\n\n').length ?? 0),
    );
    expect(await other.found('Room 1 of the museum', { limit: 100 })).not.toEqual([]);
  });

  test('is forgotten where clients send its id or that of a memory as one of a document', async () => {
    const own = await withText(TEXT);
    const remove = (id: string | undefined) => mneme.request('DELETE', `/v3/documents/${id}`);
    const bees = await own.idOf(BEES);
    expect((await remove(bees)).status).toBe(204);
    expect(await own.found('*')).toEqual([WASPS, HONEY]);
    expect(await remove(bees)).toMatchObject({ status: 409, body: { code: 'already_forgotten' } });
    expect((await remove((await passageIn(own, 'honey'))?.id)).status).toBe(204);
    await isGone(own, 'honey', 'hornets');
    const [direct] = await own.record('Mara lives by the river.');
    expect((await remove(direct?.id)).status).toBe(204);
    expect(await own.found('river')).toEqual([]);
    expect(await remove('unknown')).toMatchObject({ status: 404, body: { error: 'Document not found' } });
    expect((await mneme.get(`/v3/documents/${own.id}`)).body.content).toBe(TEXT);
  });
});

test('decisions hold when the text is processed again, however its sentences are grouped', async () => {
  const { forget, found, chunks, idOf, edit, list } = await withText(TEXT);
  const honey = await idOf(HONEY);
  await forget({ id: honey });
  const nothing = async () => {
    expect((await found('honey at the market on Saturday')).join()).not.toMatch(/honey/i);
    expect((await chunks('honey at the market on Saturday')).join()).not.toMatch(/honey/i);
  };
  await edit(`A line before it.\n\n${TEXT}`);
  await nothing();
  expect((await list({ includeForgotten: true })).memoryEntries).toContainEqual(
    expect.objectContaining({ id: honey, isForgotten: true }),
  );
  await edit(`A line before it.\n\n${TEXT}\n\nA line behind it.`);
  await nothing();
  await edit(`${BEES} ${HONEY.toUpperCase()} ${WASPS}`);
  await nothing();
  expect((await found('hives of bees')).join()).toContain('bees');
  await edit([BEES, WASPS].join('\n\n'));
  expect((await list({ includeForgotten: true })).memoryEntries).not.toContainEqual(
    expect.objectContaining({ id: honey }),
  );
  await edit(TEXT);
  await nothing();
  expect((await list({ includeForgotten: true })).memoryEntries).toContainEqual(
    expect.objectContaining({ id: honey, isForgotten: true }),
  );
});

test('memories of documents are listed beside direct ones, page by page', async () => {
  const { id, record, list, forget, idOf } = await withText(TEXT);
  const [direct] = await record('Mara lives by the river.');
  await forget({ id: await idOf(HONEY) });
  const page = async (number: number, more: object = {}) =>
    (await list({ limit: 2, page: number, order: 'asc', ...more })).memoryEntries.map(({ memory }) => memory);
  expect([...(await page(1)), ...(await page(2))]).toEqual([BEES, WASPS, 'Mara lives by the river.']);
  expect(await page(3)).toEqual([]);
  const all = await list({ includeForgotten: true });
  expect(all.pagination).toMatchObject({ totalItems: 4 });
  expect(all.memoryEntries).toContainEqual(
    expect.objectContaining({ memory: BEES, version: 1, sourceCount: 1, documentIds: [id], isForgotten: false }),
  );
  expect(all.memoryEntries).toContainEqual(
    expect.objectContaining({ id: direct?.id, sourceCount: 0, documentIds: [] }),
  );
});

test('a revision of a memory of a document supersedes its text, which stays in chunks', async () => {
  const { id, patch, found, search, chunks, list, forget, idOf, edit } = await withText(TEXT);
  const honey = await idOf(HONEY);
  const revised = await patch({ id: honey, newContent: 'The honey is sold on Sundays now.', metadata: { sure: true } });
  expect(revised).toMatchObject({
    status: 200,
    body: { version: 2, parentMemoryId: honey, rootMemoryId: honey, metadata: { sure: true } },
  });
  expect((await found('When is the honey sold?'))[0]).toBe('The honey is sold on Sundays now.');
  expect(await found('When is the honey sold?')).not.toContain(HONEY);
  expect((await chunks('honey sold every Saturday')).join()).toContain(HONEY);
  const filters = { AND: [{ key: 'sure', value: 'true' }] };
  expect(await search('honey', { filters, include: { relatedMemories: true, documents: true } })).toMatchObject([
    {
      ...{ id: revised.body.id, documents: [{ id }] },
      context: { parents: [{ relation: 'updates', version: -1, memory: HONEY }] },
    },
  ]);
  expect((await list()).memoryEntries).toContainEqual(
    expect.objectContaining({
      ...{ id: revised.body.id, version: 2, sourceCount: 1 },
      history: [expect.objectContaining({ id: honey, memory: HONEY, version: 1 })],
    }),
  );
  expect(await forget({ content: HONEY })).toMatchObject({ status: 404 });
  expect((await patch({ id: honey, newContent: 'The honey is sold out.' })).body).toMatchObject({ version: 3 });
  await edit([BEES, WASPS].join('\n\n'));
  expect((await found('honey')).join()).not.toContain('honey');
  expect(await patch({ id: honey, newContent: 'Gone.' })).toMatchObject({ status: 404 });
  await edit(TEXT);
  expect((await found('honey'))[0]).toBe('The honey is sold out.');
  expect(await forget({ id: revised.body.id })).toMatchObject({ status: 200 });
  expect((await found('honey')).join()).not.toContain('honey');
  expect((await chunks('honey sold every Saturday')).join()).not.toContain('honey');
});

test('a document shows what became of its memories', async () => {
  const { id, patch, forget, idOf } = await withText(TEXT);
  const [honey, wasps, bees] = [await idOf(HONEY), await idOf(WASPS), await idOf(BEES)];
  const before = new Date().toISOString();
  const { body: revised } = await patch({ id: honey, newContent: 'The honey is sold on Sundays now.' });
  await forget({ id: wasps, reason: 'They left.' });
  const first = { version: 1, parentMemoryId: null, isStatic: false };
  const second = { id: revised.id, memory: 'The honey is sold on Sundays now.', version: 2, parentMemoryId: honey };
  const expected = [
    { ...first, id: bees, memory: BEES, rootMemoryId: bees, isLatest: true, isForgotten: false },
    { ...first, id: honey, memory: HONEY, rootMemoryId: honey, isLatest: false, isForgotten: false },
    { ...second, rootMemoryId: honey, isLatest: true, isForgotten: false },
    { ...first, id: wasps, memory: WASPS, rootMemoryId: wasps, isLatest: true, isForgotten: true },
  ];
  const record = async (query = '') => (await mneme.get<{ memories: object[] }>(`/v3/documents/${id}${query}`)).body;
  expect((await record()).memories).toMatchObject(expected);
  const then = expected.filter(({ version }) => version === 1).map((one) => ({ ...one, isLatest: true }));
  expect((await record(`?asOf=${before}`)).memories).toMatchObject(then);
  const { body } = await mneme.post<{ documents: { memoryEntries: object[] }[] }>('/v3/documents/documents/by-ids', {
    ids: [id],
  });
  const updates = { memoryRelations: { [`${honey}`]: 'updates' }, relation: 'updates', updatesMemoryId: honey };
  const none = { memoryRelations: {}, relation: null, updatesMemoryId: null, nextVersionId: null };
  expect(body.documents[0]?.memoryEntries).toMatchObject([
    { ...expected[0], ...none },
    { ...expected[1], ...none, nextVersionId: revised.id },
    { ...expected[2], ...updates, nextVersionId: null },
    { ...expected[3], ...none, forgetReason: 'They left.' },
  ]);
});

test('a forgotten sentence stays forgotten when one of two equal turns is removed', async () => {
  const turn = 'Ann: I am allergic to walnuts and to most other nuts.';
  const other = 'Ben: Then the cake with almonds is not for you at all.';
  const { forget, found, idOf, edit } = await withText([turn, other, turn].join('\n'));
  await forget({ id: await idOf(turn) });
  expect((await found('walnuts')).join()).not.toContain('walnuts');
  await edit([other, turn].join('\n'));
  expect((await found('walnuts')).join()).not.toContain('walnuts');
});

test('a memory of a document expires at its time, also in chunks', async () => {
  const { patch, found, chunks, idOf, restore } = await withText(TEXT);
  const wasps = await idOf(WASPS);
  const forgetAfter = new Date(Date.now() + 6_000).toISOString();
  expect(await patch({ id: wasps, newContent: WASPS, forgetAfter })).toMatchObject({ status: 200 });
  expect((await found('hornets'))[0]).toBe(WASPS);
  expect((await chunks('hornets')).join()).toContain('hornets');
  await eventually(async () => ((await found('hornets')).includes(WASPS) ? null : true));
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(forgetAfter));
  expect((await chunks('hornets')).join()).not.toContain('hornets');
  await eventually(async () => ((await historyOf(mneme, wasps)).includes('MemoryExpired') ? true : null));
  await restore(wasps);
  expect(await found('hornets')).toContain(WASPS);
  expect((await chunks('hornets')).join()).toContain('hornets');
});

test('the memories of a document go with it, callers’ revisions included, and move with its tags', async () => {
  const birds = 'Two kookaburras sit on the fence behind the barn whenever the sun goes down.';
  const { id, tag, patch, forget, idOf, list } = await withText([BEES, HONEY, birds].join('\n\n'));
  const honey = await idOf(HONEY);
  await patch({ id: honey, newContent: 'The honey is made of quandongs.' });
  await forget({ id: await idOf(birds), reason: 'A capybara said so.' });
  const moved = newTag();
  await mneme.request('PATCH', `/v3/documents/${id}`, { containerTags: [moved] });
  const there = memoriesOf(() => mneme, moved);
  await eventually(async () => ((await there.found('quandongs')).length > 0 ? true : null));
  expect((await list({ includeForgotten: true })).memoryEntries).toEqual([]);
  expect((await there.list({ includeForgotten: true })).pagination).toMatchObject({ totalItems: 3 });
  expect(await there.forget({ id: honey })).toMatchObject({ status: 200 });
  expect(await memoriesOf(() => mneme, tag).forget({ id: honey })).toMatchObject({ status: 404 });
  expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
  expect((await there.list({ includeForgotten: true })).memoryEntries).toEqual([]);
  expect(await there.found('honey', { include: { forgottenMemories: true }, searchMode: 'hybrid' })).toEqual([]);
  expect((await there.restore(honey)).body).toEqual({ restored: [] });
  expect(await historyOf(mneme, honey)).toEqual(
    expect.arrayContaining(['MemoryRevised', 'MemoryForgotten', 'DocumentDeleted']),
  );
  await untilErased(mneme, ['quandongs', 'capybara', 'kookaburras']);
});

test('bad requests about memories of documents change nothing', async () => {
  const { id, forget, patch, restore, forgetMatching, list, idOf } = await withText(TEXT);
  const bees = await idOf(BEES);
  expect(await patch({ id: bees, newContent: ' ' })).toMatchObject({ status: 400 });
  expect(await patch({ id: bees, newContent: 'x', forgetAfter: 'tomorrow' })).toMatchObject({ status: 400 });
  expect(await patch({ id: bees, newContent: BEES })).toMatchObject({ status: 200, body: { id: bees, version: 1 } });
  expect((await restore(bees)).body).toMatchObject({ restored: [{ id: bees, version: 1 }] });
  expect((await forgetMatching({ ids: [id, 'unknown'] })).body).toMatchObject({ count: 0 });
  expect(await forget({ id: 'unknown' })).toMatchObject({ status: 404 });
  expect((await mneme.get(`/v4/memories/${bees}/events`)).status).toBe(404);
  expect((await mneme.get(`/v3/documents/${bees}`)).status).toBe(404);
  const both = await Promise.all(['One.', 'Two.'].map((newContent) => patch({ id: bees, newContent })));
  expect(both.map(({ body }) => body.version).sort()).toEqual([2, 3]);
  expect(await patch({ id: bees, newContent: 'Past.', forgetAfter: '2020-01-01' })).toMatchObject({ status: 200 });
  expect((await list()).memoryEntries.map(({ memory }) => memory)).toEqual([WASPS, HONEY]);
  expect(await forget({ id: bees })).toMatchObject({ status: 200 });
  expect(await patch({ id: bees, newContent: 'Three.' })).toMatchObject({ status: 404 });
});

describe('a forgotten statement that is said again', () => {
  const FACT = 'Tuva is allergic to walnuts.';
  const PEN = 'She carries a pen with adrenaline.';
  const OTHER = 'Tuva rows on Saturdays.';
  const customIdOf = (tag: string) => `of ${tag}`;

  /** A document whose memory `forgotten` is forgotten. */
  async function named(first: string, forgotten = FACT) {
    const tag = newTag();
    const own = memoriesOf(() => mneme, tag);
    const fields = { containerTag: tag, customId: customIdOf(tag) };
    const add = (content: string) => mneme.addAndWait(content, fields);
    const forget = async (content: string) => {
      expect(await own.forget({ content })).toMatchObject({ status: 200 });
      expect((await own.found('walnuts')).join()).not.toContain('walnuts');
    };
    await add(first);
    await forget(forgotten);
    return {
      ...own,
      forgetting: own.forget,
      tag,
      fields,
      add,
      forget,
      known: async (text = FACT) => (await own.found('Tuva')).includes(text),
    };
  }

  test('is known again if a delta says it', async () => {
    const { add, known } = await named(FACT);
    await add(OTHER);
    expect(await known()).toBe(false);
    await add(FACT);
    expect(await known()).toBe(true);
  });

  test('is known again if a delta says it while the document is processed', async () => {
    const { fields, known } = await named(FACT);
    const long = Array.from({ length: 4_000 }, (_, i) => `Box ${i} of the archive holds the letters of ship ${i}.`);
    const id = await mneme.add(long.join('\n\n'), fields);
    await mneme.add(FACT, fields);
    expect((await mneme.get(`/v3/documents/${id}`)).body.status).not.toBe('done');
    await mneme.settled(id);
    expect(await known()).toBe(true);
  });

  test('is known again if a user says it, and not if an assistant does', async () => {
    const { add, known } = await named(FACT);
    await add('[role: assistant]\nTuva is allergic to walnuts.\n[assistant:end]');
    expect(await known()).toBe(false);
    await add('[role: user]\nTuva is allergic to walnuts.\n[user:end]');
    expect(await known()).toBe(true);
  });

  test('is known again if the text goes on with it, and not by the part that was there', async () => {
    const told = `[user] ${FACT}\n[assistant] Noted.`;
    const { add, known } = await named(told);
    const longer = `${told}\n[assistant] ${FACT}`;
    await add(longer);
    expect(await known()).toBe(false);
    await add(`${longer}\n[user] ${OTHER}`);
    expect(await known()).toBe(false);
    await add(`${longer}\n[user] ${OTHER}\n[user] ${FACT}`);
    expect(await known()).toBe(true);
  });

  test('is known again sentence by sentence', async () => {
    const { add, forget, forgetting, found, search, known } = await named(`${FACT} ${PEN}`, `${FACT} ${PEN}`);
    await add(FACT);
    expect(await known()).toBe(true);
    expect((await found('adrenaline')).join()).not.toContain('adrenaline');
    await forget(FACT);
    await add(PEN);
    expect((await found('adrenaline')).join()).toContain('adrenaline');
    expect((await found('walnuts')).join()).not.toContain('walnuts');
    await add(FACT);
    expect(await known(`${FACT} ${PEN}`)).toBe(true);
    await forget(`${FACT} ${PEN}`);
    await add(FACT);
    // A passage that shows it again can be forgotten again.
    for (const { id } of await search('walnuts', { searchMode: 'documents' })) await forgetting({ id });
    expect(await search('walnuts', { searchMode: 'documents' })).toEqual([]);
  });

  test('is known again by the whole text if nothing else of the document is left', async () => {
    const alone = await named(`# Allergies\n\n${FACT}`, `# Allergies\n\n${FACT}`);
    await alone.add(`# Allergies\n\n${FACT}`);
    expect(await alone.known(`# Allergies\n\n${FACT}`)).toBe(true);
    const { add, forget, known } = await named(FACT);
    await add(OTHER);
    await add(`${FACT}\n${OTHER}`);
    expect(await known()).toBe(false);
    await forget(OTHER);
    await add(`${FACT}\n${OTHER}`);
    expect(await known()).toBe(true);
  });

  test('is known again if an item of a batch says it', async () => {
    const { tag, fields, known, forget } = await named(FACT);
    const batch = async (...documents: readonly object[]) => {
      const { body } = await mneme.post<{ results: { id: string }[] }>('/v3/documents/batch', { documents, ...fields });
      await mneme.settled(body.results[0]?.id as string);
    };
    await batch({ content: FACT });
    expect(await known()).toBe(true);
    await forget(FACT);
    await batch({ content: OTHER }, { content: 'Where is the map?' });
    expect(await known()).toBe(false);
    await batch({ content: 'Where is the pen?' }, { content: FACT }, { content: OTHER, containerTag: `${tag} other` });
    expect(await known()).toBe(true);
  });

  test('is known again in a conversation if a user says it, or all of it comes again and nothing else is left', async () => {
    const tag = newTag();
    const { found, forget } = memoriesOf(() => mneme, tag);
    const say = async (...turns: readonly string[]) => {
      const messages = turns.map((turn) => {
        const [role, content] = turn.split(': ');
        return { role, content };
      });
      const body = { conversationId: customIdOf(tag), containerTags: [tag], messages };
      const { body: answer } = await mneme.post<{ id: string }>('/v4/conversations', body);
      await mneme.settled(answer.id);
    };
    const known = async (text: string) => (await found('Tuva')).includes(text);
    const [fact, noted, other] = [`user: ${FACT}`, 'assistant: Noted.', `user: ${OTHER}`];
    await say(fact, noted);
    await forget({ content: fact });
    await say(fact, noted);
    expect(await known(fact)).toBe(false);
    await say(fact, noted, other);
    expect(await known(fact)).toBe(false);
    await say(fact, noted, other, fact);
    expect(await known(fact)).toBe(true);
    for (const content of [fact, noted, other]) await forget({ content });
    expect(await found('*')).toEqual([]);
    await say(fact);
    expect([await known(fact), await known(other)]).toEqual([true, false]);
    await forget({ content: fact });
    expect(await found('*')).toEqual([]);
    await say(fact, noted, other, fact);
    expect([await known(fact), await known(other)]).toEqual([true, true]);
  });

  test('is known again after the views are rebuilt, and what was not said stays forgotten', async () => {
    const whole = await named(FACT);
    await whole.add(FACT);
    const part = await named(`${FACT} ${PEN}`, `${FACT} ${PEN}`);
    await part.add(FACT);
    const unsaid = await named(FACT);
    await unsaid.add(OTHER);
    expect(await mneme.cli('replay')).toMatchObject({ code: 0 });
    expect([await whole.known(), await part.known(), await unsaid.known()]).toEqual([true, true, false]);
    expect((await part.found('adrenaline')).join()).not.toContain('adrenaline');
    expect(await unsaid.known(OTHER)).toBe(true);
  });
});

test('the same text for the same document brings nothing back; a new document has memories of its own', async () => {
  const tag = newTag();
  const { found, forget } = memoriesOf(() => mneme, tag);
  const named = { containerTag: tag, customId: `of ${tag}` };
  await mneme.addAndWait(TEXT, named);
  expect(await forget({ content: HONEY })).toMatchObject({ status: 200 });
  await mneme.addAndWait(TEXT, named);
  await mneme.addAndWait(`${TEXT}\n\nThe mill is closed.`, named);
  expect((await found('honey')).join()).not.toContain('honey');
  await mneme.addAndWait(TEXT, { containerTag: tag });
  expect((await found('honey'))[0]).toBe(HONEY);
});

import { now } from './support/clock.ts';
import { untilErased } from './support/erasure.ts';
import { type Entry, MEMORIES, memoriesOf } from './support/memories.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** What was known at a time: `asOf` of searches, lists of memories and profiles. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

let tags = 0;
const newTag = () => `past-${tags++}`;

function inTag(containerTag: string) {
  const own = memoriesOf(() => mneme, containerTag);
  const entries = async (asOf: string, more: object = {}) => (await own.list({ asOf, ...more })).memoryEntries;
  return {
    ...own,
    entries,
    /** Texts. */
    listed: async (asOf: string, more: object = {}) => (await entries(asOf, more)).map(({ memory }) => memory),
    profile: async (asOf: string) => {
      const { body } = await mneme.post<{ profile: { static: string[]; dynamic: string[] } }>('/v4/profile', {
        ...{ containerTag, asOf },
      });
      return body.profile;
    },
    chunks: async (q: string, more: object = {}) => {
      const asked = { q, containerTags: [containerTag], limit: 100, ...more };
      const { body } = await mneme.post<{ results: { chunks: { content: string }[] }[] }>('/v3/search', asked);
      return body.results.flatMap((result) => result.chunks.map(({ content }) => content));
    },
  };
}

test('a corrected fact is found, listed and profiled as it was', async () => {
  const { record, patch, search, found, entries, listed, profile, list } = inTag(newTag());
  const early = await now();
  const [first] = await record({ content: 'Mara lives in Oslo.', isStatic: true, metadata: { sure: false } });
  await record('Mara sails on Sundays.');
  const monday = await now();
  const { body: second } = await patch({
    id: first?.id,
    newContent: 'Mara lives in Bergen.',
    metadata: { sure: true },
  });
  const tuesday = await now();
  await patch({ id: first?.id, newContent: 'Mara lives in Tromsø.' });
  const friday = await now();

  const where = 'Where does Mara live?';
  expect((await found(where))[0]).toBe('Mara lives in Tromsø.');
  expect((await found(where, { asOf: monday }))[0]).toBe('Mara lives in Oslo.');
  expect(await found(where, { asOf: tuesday })).toContain('Mara lives in Bergen.');
  expect(await found(where, { asOf: tuesday })).not.toContain('Mara lives in Oslo.');
  expect(await found(where, { asOf: friday })).toEqual(await found(where));
  expect(await found(where, { asOf: early })).toEqual([]);
  const filters = { AND: [{ key: 'sure', value: 'true' }] };
  expect(await found(where, { asOf: monday, filters })).toEqual([]);
  expect(await search('Bergen', { asOf: tuesday, filters, include: { relatedMemories: true } })).toMatchObject([
    {
      ...{ id: second.id, version: 2, rootMemoryId: first?.id, metadata: { sure: true } },
      context: { parents: [{ memory: 'Mara lives in Oslo.' }] },
    },
  ]);

  expect(await listed(monday)).toEqual(['Mara sails on Sundays.', 'Mara lives in Oslo.']);
  expect(await entries(tuesday)).toMatchObject([
    { id: second.id, version: 2, rootMemoryId: first?.id, history: [{ id: first?.id, memory: 'Mara lives in Oslo.' }] },
    { memory: 'Mara sails on Sundays.', history: [] },
  ]);
  expect(await entries(friday)).toEqual((await list()).memoryEntries);
  expect(await listed(monday, { limit: 1, page: 2 })).toEqual(['Mara lives in Oslo.']);
  expect(await listed(early)).toEqual([]);
  expect(await profile(monday)).toMatchObject({ static: ['Mara lives in Oslo.'], dynamic: ['Mara sails on Sundays.'] });
  expect(await profile(tuesday)).toMatchObject({ static: ['Mara lives in Bergen.'] });
  expect(await profile(early)).toMatchObject({ static: [], dynamic: [] });
});

test('what is forgotten today is in no past, unless it is asked for, and then marked', async () => {
  const { record, patch, forget, restore, found, search, listed, entries } = inTag(newTag());
  const [one] = await record('The safe is behind the clock.');
  const before = await now();
  await patch({ id: one?.id, newContent: 'The safe is behind the mirror.' });
  await forget({ id: one?.id });
  expect(await found('safe', { asOf: before })).toEqual([]);
  expect(await listed(before)).toEqual([]);
  expect(await search('safe', { asOf: before, include: { forgottenMemories: true } })).toMatchObject([
    { memory: 'The safe is behind the clock.', isForgotten: true },
  ]);
  expect(await entries(before, { includeForgotten: true })).toMatchObject([
    { memory: 'The safe is behind the clock.', isForgotten: true, version: 1 },
  ]);
  await restore(one?.id);
  expect(await found('safe', { asOf: before })).toEqual(['The safe is behind the clock.']);
  expect(await listed(before)).toEqual(['The safe is behind the clock.']);
});

const BEES = 'Mara keeps four hives of bees in the orchard behind the old mill near the river.';
const HONEY = 'The honey is sold every Saturday at the market in the square beside the church.';
const WASPS = 'Last summer a nest of hornets was found under the roof of the shed at the gate.';

test('memories and chunks of a document are those that were known, with the details of then', async () => {
  const tag = newTag();
  const { found, search, listed, profile, chunks } = inTag(tag);
  const early = await now();
  const id = await mneme.addAndWait([BEES, HONEY].join('\n\n'), { containerTag: tag, metadata: { draft: true } });
  const before = await now();
  const edited = { content: [BEES, HONEY, WASPS].join('\n\n'), metadata: { draft: false } };
  expect((await mneme.request('PATCH', `/v3/documents/${id}`, edited)).status).toBe(200);
  await mneme.settled(id);
  await eventually(async () => ((await found('hornets')).includes(WASPS) ? true : null));
  const after = await now();
  expect(await found('hornets', { asOf: before })).not.toContain(WASPS);
  expect(await found('hornets', { asOf: after })).toContain(WASPS);
  expect(await found('honey at the market', { asOf: before })).toContain(HONEY);
  expect(await found('honey', { asOf: early })).toEqual([]);
  const draft = { AND: [{ key: 'draft', value: 'true' }] };
  expect(await search('honey at the market', { asOf: before })).toContainEqual(
    expect.objectContaining({ memory: HONEY, metadata: { draft: true } }),
  );
  expect(await listed(before)).toEqual([HONEY, BEES]);
  expect(await listed(before, { filters: draft })).toEqual([HONEY, BEES]);
  expect(await listed(after, { filters: draft })).toEqual([]);
  expect(await listed(after)).toEqual([WASPS, HONEY, BEES]);
  expect(await listed(early)).toEqual([]);
  expect((await profile(before)).dynamic).toEqual([HONEY, BEES]);
  for (const more of [{}, { onlyMatchingChunks: false }]) {
    expect((await chunks('hornets', { asOf: before, ...more })).join()).not.toContain('hornets');
    expect(await chunks('hornets', { asOf: early, ...more })).toEqual([]);
    expect((await chunks('hornets', { asOf: after, ...more })).join()).toContain('hornets');
  }
  expect(await found('*', { asOf: early })).toEqual([]);
  expect(await found('*', { asOf: before })).toEqual([HONEY, BEES]);
  expect(await chunks('*', { asOf: early })).toEqual([]);
});

test('revised and forgotten memories of a document have their past', async () => {
  const tag = newTag();
  const { found, listed, entries, patch, forget } = inTag(tag);
  await mneme.addAndWait([BEES, HONEY, WASPS].join('\n\n'), { containerTag: tag });
  const before = await now();
  const { memoryEntries } = await memoriesOf(() => mneme, tag).list();
  const idOf = (text: string) => memoryEntries.find(({ memory }) => memory === text)?.id;
  const { body: revised } = await patch({ id: idOf(HONEY), newContent: 'The honey is sold on Sundays now.' });
  const between = await now();
  await forget({ id: idOf(WASPS) });
  expect(await found('When is the honey sold?', { asOf: before })).toContain(HONEY);
  expect(await found('When is the honey sold?', { asOf: before })).not.toContain('The honey is sold on Sundays now.');
  expect(await found('When is the honey sold?', { asOf: between })).toContain('The honey is sold on Sundays now.');
  expect(await found('When is the honey sold?', { asOf: between })).not.toContain(HONEY);
  expect((await found('hornets', { asOf: before })).join()).not.toContain('hornets');
  expect((await listed(before)).sort()).toEqual([BEES, HONEY].sort());
  expect(await entries(between)).toContainEqual(
    expect.objectContaining({ id: revised.id, version: 2, history: [expect.objectContaining({ memory: HONEY })] }),
  );
  const all = await entries(before, { includeForgotten: true });
  expect(all.map((one: Entry) => [one.memory, one.isForgotten]).sort()).toEqual(
    [
      [BEES, false],
      [HONEY, false],
      [WASPS, true],
    ].sort(),
  );
});

test('the past is the same after the views are built again, and goes with what is erased', async () => {
  const tag = newTag();
  const { record, patch, found, listed, search } = inTag(tag);
  const [one] = await record('The quokka is in the shed.');
  const before = await now();
  await patch({ id: one?.id, newContent: 'The quokka is in the barn.' });
  const answers = async () => [await search('quokka', { asOf: before }), await listed(before)];
  const then = await answers();
  expect(then).toMatchObject([[{ memory: 'The quokka is in the shed.' }], ['The quokka is in the shed.']]);
  expect(await mneme.cli('replay', '--verify')).toMatchObject({ code: 0 });
  expect(await mneme.cli('replay')).toMatchObject({ code: 0 });
  expect(await answers()).toEqual(then);
  expect((await mneme.request('DELETE', `/v3/documents/bulk`, { containerTags: [tag] })).status).toBe(200);
  expect(await found('quokka', { asOf: before, include: { forgottenMemories: true } })).toEqual([]);
  expect(await listed(before, { includeForgotten: true })).toEqual([]);
  await untilErased(mneme, ['quokka']);
});

test('of each memory the version that counts for a date is found and listed', async () => {
  const tag = newTag();
  const { record, patch, found, list, forget } = inTag(tag);
  const dated = (documentDate: string) => ({ temporalContext: { documentDate, eventDate: null } });
  const [one] = await record({ content: 'Ann works at the mill.', ...dated('2020-03-01') });
  await patch({ id: one?.id, newContent: 'Ann works at the bakery.', ...dated('2024-03-01') });
  // Learned last, and true before.
  await patch({ id: one?.id, newContent: 'Ann works at the harbour.', ...dated('2022-03-01') });
  await mneme.addAndWait('Ann works as a diver.', { containerTag: tag, documentDate: '2021-06-01' });
  const on = async (validAt: string) => (await found('Where does Ann work?', { validAt })).sort();
  expect(await on('2019-01-01')).toEqual([]);
  expect(await on('2020-03-01')).toEqual(['Ann works at the mill.']);
  expect(await on('2021-07-01')).toEqual(['Ann works as a diver.', 'Ann works at the mill.']);
  expect(await on('2022-03-01T12:00:00Z')).toEqual(['Ann works as a diver.', 'Ann works at the harbour.']);
  expect(await on('2030-01-01')).toEqual(['Ann works as a diver.', 'Ann works at the bakery.']);
  const listed = async (validAt: string) => (await list({ validAt, order: 'asc' })).memoryEntries;
  expect(await listed('2020-04-01')).toMatchObject([
    { id: one?.id, memory: 'Ann works at the mill.', version: 1, isLatest: false, history: [] },
  ]);
  expect((await listed('2023-01-01')).map(({ memory, version }) => [memory, version]).sort()).toEqual([
    ['Ann works as a diver.', 1],
    ['Ann works at the harbour.', 3],
  ]);
  await forget({ id: one?.id });
  expect(await on('2020-03-01')).toEqual([]);
  for (const path of ['/v4/search', `${MEMORIES}/list`]) {
    const both = { q: 'x', containerTags: [tag], asOf: '2020-01-01', validAt: '2020-01-01' };
    const answer = await mneme.post(path, both);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining('validAt')]);
    expect((await mneme.post(path, { ...both, asOf: undefined, validAt: 'soon' })).status).toBe(400);
  }
});

test('tags of others stay closed, and a time that is invalid or in the future is refused', async () => {
  const tag = newTag();
  const { record, found } = inTag(tag);
  const [one] = await record('The vault has two doors.');
  const before = await now();
  await memoriesOf(() => mneme, tag).patch({ id: one?.id, newContent: 'The vault has three doors.' });
  expect(await inTag(newTag()).found('vault', { asOf: before })).toEqual([]);
  expect(await found('vault', { asOf: before })).toEqual(['The vault has two doors.']);
  const future = new Date(Date.now() + 3_600_000).toISOString();
  for (const [path, body] of [
    ['/v3/search', { q: 'x' }],
    ['/v4/search', { q: 'x' }],
    ['/v4/profile', { containerTag: tag }],
    [`${MEMORIES}/list`, { containerTags: [tag] }],
  ] as const) {
    for (const asOf of ['yesterday', '2026-02-30', future, 5]) {
      const answer = await mneme.post<{ details?: unknown }>(path, { ...body, asOf });
      expect([path, answer.status]).toEqual([path, 400]);
      expect(JSON.stringify(answer.body)).toContain('asOf');
    }
  }
});

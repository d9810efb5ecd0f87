import { historyOf, MEMORIES, memoriesOf, type Recorded } from './support/memories.ts';
import { Mneme } from './support/mneme.ts';

/** What callers do with memories that they record directly. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

let tags = 0;
const newTag = () => `user-${tags++}`;
const inTag = (tag = newTag()) => memoriesOf(() => mneme, tag);

test('is found when the call returns, listed, and is no document', async () => {
  const tag = newTag();
  const { record, search, found, list } = inTag(tag);
  const [oslo] = await record({ content: 'Mara lives in Oslo.', isStatic: true, metadata: { kind: ['home', 'fact'] } });
  expect(await search('Oslo')).toMatchObject([
    { id: oslo?.id, memory: 'Mara lives in Oslo.', version: 1, rootMemoryId: oslo?.id },
  ]);
  expect(await found('*')).toEqual(['Mara lives in Oslo.']);
  const filters = { AND: [{ key: 'kind', value: 'home', filterType: 'array_contains' }] };
  expect(await found('Oslo', { filters })).toEqual(['Mara lives in Oslo.']);
  expect(await list()).toMatchObject({
    memoryEntries: [
      {
        ...{ id: oslo?.id, version: 1, isLatest: true, isForgotten: false, isStatic: true, isInference: false },
        ...{ containerTag: tag, sourceCount: 0, documentIds: [], history: [], parentMemoryId: null },
      },
    ],
    pagination: { totalItems: 1 },
  });
  expect((await mneme.get(`/v3/documents/${oslo?.id}`)).status).toBe(404);
  expect((await mneme.get(`/v3/documents/${oslo?.id}/events`)).status).toBe(404);
  expect((await mneme.request('DELETE', '/v3/documents/bulk', { ids: [oslo?.id] })).body).toMatchObject({
    ...{ success: false, deletedCount: 0 },
  });
  expect((await mneme.post('/v3/documents/list', { containerTags: [tag] })).body).toMatchObject({ memories: [] });
  expect((await mneme.post('/v3/search', { q: 'Oslo', containerTags: [tag] })).body).toMatchObject({ results: [] });
  expect((await mneme.post('/v3/documents/documents', { containerTags: [tag] })).body).toMatchObject({ documents: [] });
});

test('equal memories are recorded once, also of requests that run at once', async () => {
  const { record, list } = inTag();
  const [first, again] = await record('Mara has a cat.', 'Mara has a cat.');
  expect(again).toEqual(first);
  const [lasting] = await record({ content: 'Mara has a cat.', isStatic: true });
  expect(lasting?.id).not.toBe(first?.id);
  expect((await record('Mara has a cat.'))[0]?.id).toBe(first?.id);
  const [one, two] = await Promise.all([record('Mara has a dog.'), record('Mara has a dog.')]);
  expect(one).toEqual(two);
  const metadata = { b: 1, a: ['x'] };
  const [dated] = await record({ content: 'Mara skis.', metadata, forgetAfter: '2999-01-01' });
  const same = { content: 'Mara skis.', metadata: { a: ['x'], b: 1 }, forgetAfter: '2999-01-01T00:00:00.000Z' };
  expect(await record(same)).toEqual([dated]);
  expect((await list()).pagination).toMatchObject({ totalItems: 3 });
});

test('the same text in another tag is another memory', async () => {
  const [here, there] = [inTag(), inTag()];
  const [mine] = await here.record('Tea is better than coffee.');
  const [theirs] = await there.record('Tea is better than coffee.');
  expect(theirs?.id).not.toBe(mine?.id);
  expect(await there.forget({ content: 'Tea is better than coffee.' })).toMatchObject({ body: { id: theirs?.id } });
  expect(await here.texts()).toEqual(['Tea is better than coffee.']);
});

test('a request with an Idempotency-Key is carried out once', async () => {
  const tag = newTag();
  const { patch, texts } = inTag(tag);
  const body = { containerTag: tag, memories: [{ content: 'Mara paints.' }] };
  const send = (more: object = {}) =>
    mneme.request<{ memories: Recorded[] }>('POST', MEMORIES, { ...body, ...more }, { 'idempotency-key': 'k' });
  const first = await send();
  expect(first.status).toBe(201);
  await patch({ id: first.body.memories[0]?.id, newContent: 'Mara sculpts.' });
  expect((await send()).body).toEqual(first.body);
  expect(await texts()).toEqual(['Mara sculpts.']);
  expect((await send({ containerTag: 'other' })).status).toBe(409);
});

test('a revision is another version; the latest alone is found', async () => {
  const { record, patch, found, search, list } = inTag();
  const [oslo] = await record({ content: 'Mara lives in Oslo.', metadata: { kind: 'home' } });
  const bergen = await patch({ content: 'Mara lives in Oslo.', newContent: 'Mara lives in Bergen.' });
  expect(bergen).toMatchObject({
    status: 200,
    body: { version: 2, parentMemoryId: oslo?.id, rootMemoryId: oslo?.id, metadata: { kind: 'home' } },
  });
  expect(await found('Where does Mara live?')).toEqual(['Mara lives in Bergen.']);
  const related = { include: { relatedMemories: true } };
  expect(await search('Where does Mara live?', related)).toMatchObject([
    {
      context: {
        parents: [{ relation: 'updates', version: -1, memory: 'Mara lives in Oslo.' }],
        children: [],
        related: [],
      },
    },
  ]);
  expect(await search('Where does Mara live?')).not.toMatchObject([{ context: expect.anything() }]);
  const by = async (id: string | undefined, newContent: string) => (await patch({ id, newContent })).body;
  expect(await by(bergen.body.id, 'Mara lives in Bergen.')).toMatchObject({ id: bergen.body.id, version: 2 });
  const tromso = await by(oslo?.id, 'Mara lives in Tromsø.');
  expect(tromso).toMatchObject({ version: 3, parentMemoryId: bergen.body.id, rootMemoryId: oslo?.id });
  const past = await by(bergen.body.id, 'Mara lives in Bodø.');
  expect(past).toMatchObject({ version: 4, parentMemoryId: tromso.id });
  expect((await list()).memoryEntries).toMatchObject([
    {
      ...{ id: past.id, version: 4, isLatest: true, createdAt: past.createdAt },
      memoryRelations: { [tromso.id]: 'updates' },
      history: [
        { id: tromso.id, isLatest: false },
        { id: bergen.body.id },
        { id: oslo?.id, version: 1, createdAt: oslo?.createdAt },
      ],
    },
  ]);
  expect(
    (await patch({ id: past.id, newContent: 'Mara lives in Bodø.', metadata: { kind: 'guess' } })).body,
  ).toMatchObject({
    ...{ version: 5, metadata: { kind: 'guess' } },
  });
  expect(await historyOf(mneme, bergen.body.id)).toEqual(['MemoryRecorded', ...Array(4).fill('MemoryRevised')]);
});

test('two revisions at once are two versions', async () => {
  const { record, patch, list } = inTag();
  const [tea] = await record('Mara drinks tea.');
  const answers = await Promise.all(
    ['Mara drinks coffee.', 'Mara drinks milk.'].map((newContent) => patch({ id: tea?.id, newContent })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers.map(({ body }) => body.version).sort()).toEqual([2, 3]);
  const [entry] = (await list()).memoryEntries;
  expect([entry?.version, entry?.history.length]).toEqual([3, 2]);
});

test('what is forgotten comes back only by restoring it', async () => {
  const { record, patch, found, search, texts, list, forget, restore, dynamic } = inTag();
  const [cat] = await record('Mara has a cat.', 'Mara has a boat.');
  const named = await patch({ id: cat?.id, newContent: 'Mara has a cat named Tuva.' });
  expect(await forget({ content: 'Mara has a cat.' })).toMatchObject({ status: 404 });
  expect(await forget({ content: 'Mara has a cat named Tuva.', reason: 'It died.' })).toMatchObject({
    ...{ status: 200, body: { id: named.body.id, forgotten: true } },
  });
  expect(await found('Has Mara a cat?', { searchMode: 'hybrid' })).toEqual(['Mara has a boat.']);
  expect(await found('*')).toEqual(['Mara has a boat.']);
  expect(await found('Has Mara a kat?', { rewriteQuery: true })).toEqual(['Mara has a boat.']);
  expect(await texts()).toEqual(['Mara has a boat.']);
  expect(await dynamic()).toMatchObject({ dynamic: ['Mara has a boat.'] });
  expect(await search('Has Mara a cat?', { include: { forgottenMemories: true } })).toMatchObject([
    { memory: 'Mara has a cat named Tuva.', isForgotten: true },
    { memory: 'Mara has a boat.' },
  ]);
  expect((await list({ includeForgotten: true, sort: 'updatedAt' })).memoryEntries).toMatchObject([
    { isForgotten: true, forgetReason: 'It died.', history: [{ isForgotten: true }] },
    { isForgotten: false, forgetReason: null },
  ]);
  expect(await forget({ id: cat?.id })).toMatchObject({ status: 409, body: { code: 'already_forgotten' } });
  const again = await forget({ content: 'Mara has a cat named Tuva.' });
  expect([again.status, again.headers.get('x-should-retry')]).toEqual([409, 'false']);
  expect((await patch({ id: cat?.id, newContent: 'Mara has a dog.' })).status).toBe(404);
  expect((await restore(cat?.id, named.body.id, 'unknown')).body).toMatchObject({
    restored: [{ id: named.body.id, version: 2 }],
  });
  expect((await found('Has Mara a cat?'))[0]).toBe('Mara has a cat named Tuva.');
  expect(await found('Mara has a cat.')).not.toContain('Mara has a cat.');
});

test('what was recorded again after it was forgotten is another memory', async () => {
  const { record, forget } = inTag();
  const [first] = await record('Mara sails.');
  await forget({ id: first?.id });
  const [second] = await record('Mara sails.');
  expect(second?.id).not.toBe(first?.id);
  expect(await forget({ content: 'Mara sails.' })).toMatchObject({ status: 200, body: { id: second?.id } });
});

test('memories that match a query or ids are forgotten together', async () => {
  const { record, forgetMatching, texts } = inTag();
  const [swim, , run] = await record(...['Mara swims in the lake.', 'Mara likes figs.', 'Mara runs around the lake.'], {
    content: 'Mara swims in the lake.',
    isStatic: true,
  });
  const dry = await forgetMatching({ query: 'the lake', threshold: 0.1, dryRun: true });
  expect(dry.body).toMatchObject({ dryRun: true, count: 2, forgetBatchId: null, summary: expect.any(String) });
  const candidates = dry.body.candidates as { memory: string; score: number }[];
  const both = ['Mara runs around the lake.', 'Mara swims in the lake.'];
  expect(candidates.map(({ memory }) => memory).sort()).toEqual(both);
  for (const { score } of candidates) expect(score).toBeGreaterThanOrEqual(0.1);
  expect(await texts()).toEqual(['Mara likes figs.', ...both]);
  expect((await forgetMatching({ query: 'the lake', threshold: 0.1, maxForget: 1 })).body).toMatchObject({ count: 1 });
  const batch = await forgetMatching({ query: 'the lake', threshold: 0.1, reason: 'Frozen.' });
  expect(batch.body).toMatchObject({ dryRun: false, count: 1, forgetBatchId: expect.any(String) });
  expect(await texts()).toEqual(['Mara likes figs.']);
  expect((await forgetMatching({ ids: [swim?.id, run?.id, 'unknown'] })).body).toMatchObject({
    count: 0,
    forgotten: [],
  });
});

test('what has expired is not found unless it is asked for, and can be brought back', async () => {
  const { record, patch, restore, found, search, texts, list, dynamic } = inTag();
  const [leave, trip] = await record(
    { content: 'Mara is on leave.', forgetAfter: '2020-01-01', forgetReason: 'The leave is over.' },
    { content: 'Mara travels.', forgetAfter: '2020-01-01' },
    'Mara works.',
  );
  expect(await found('Is Mara on leave?')).toEqual(['Mara works.']);
  expect(await texts()).toEqual(['Mara works.']);
  expect(await dynamic()).toMatchObject({ dynamic: ['Mara works.'] });
  expect(await search('Is Mara on leave?', { include: { forgottenMemories: true } })).toContainEqual(
    expect.objectContaining({
      memory: 'Mara is on leave.',
      isForgotten: true,
      forgetAfter: '2020-01-01T00:00:00.000Z',
    }),
  );
  expect((await list({ includeForgotten: true })).memoryEntries).toContainEqual(
    expect.objectContaining({ id: leave?.id, isForgotten: true, forgetReason: 'The leave is over.' }),
  );
  await patch({ id: leave?.id, newContent: 'Mara is on leave.', forgetAfter: null });
  expect(await found('Is Mara on leave?')).toContain('Mara is on leave.');
  await restore(trip?.id);
  expect(await texts()).toContain('Mara travels.');
});

test('a revision that names a forgotten memory is refused, and changes none that has expired', async () => {
  const { record, forget, patch, list } = inTag();
  const [skiing] = await record('Mara skis.', { content: 'mara skis', forgetAfter: '2020-01-01' });
  await forget({ id: skiing?.id });
  expect((await patch({ id: skiing?.id, newContent: 'Mara sails.' })).status).toBe(404);
  const { memoryEntries } = await list({ includeForgotten: true });
  expect(memoryEntries.map(({ memory, version }) => [memory, version]).sort()).toEqual([
    ['Mara skis.', 1],
    ['mara skis', 1],
  ]);
});

test('lasting facts are apart in the profile', async () => {
  const { record, forget, dynamic } = inTag();
  const [born] = await record({ content: 'Mara was born in 1990.', isStatic: true }, 'Mara reads a novel.');
  expect(await dynamic()).toMatchObject({ static: ['Mara was born in 1990.'], dynamic: ['Mara reads a novel.'] });
  await forget({ id: born?.id });
  expect(await dynamic()).toMatchObject({ static: [], dynamic: ['Mara reads a novel.'] });
});

test('a hundred long memories are recorded by one request', async () => {
  const { record, list } = inTag();
  const long = (i: number) => `Memory ${i}. ${'All work and no play makes Mara dull. '.repeat(270)}`.slice(0, 10_000);
  const recorded = await record(...Array.from({ length: 100 }, (_, i) => long(i)));
  expect(new Set(recorded.map(({ id }) => id)).size).toBe(100);
  expect((await list()).pagination).toMatchObject({ totalItems: 100 });
});

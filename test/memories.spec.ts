import { untilErased } from './support/erasure.ts';
import { eventually, Mneme } from './support/mneme.ts';

/** Memories that callers record directly, over HTTP. */

let mneme: Mneme;
beforeEach(async () => {
  mneme = await Mneme.start();
});
afterEach(() => mneme.stop());

const MEMORIES = '/v4/memories';
const TAG = 'user-mara';

interface Recorded {
  readonly id: string;
  readonly memory: string;
}
interface Entry extends Recorded {
  readonly version: number;
  readonly isForgotten: boolean;
  readonly history: readonly Recorded[];
}

const record = async (...memories: readonly (string | object)[]): Promise<readonly Recorded[]> => {
  const items = memories.map((one) => (typeof one === 'string' ? { content: one } : one));
  const { status, body } = await mneme.post<{ documentId: null; memories: Recorded[] }>(MEMORIES, {
    containerTag: TAG,
    memories: items,
  });
  expect([status, body.documentId]).toEqual([201, null]);
  return body.memories;
};
const list = async (more: object = {}) =>
  (
    await mneme.post<{ memoryEntries: Entry[]; pagination: object }>(`${MEMORIES}/list`, {
      containerTags: [TAG],
      ...more,
    })
  ).body;
const texts = async (more: object = {}) => (await list(more)).memoryEntries.map(({ memory }) => memory).sort();
const search = async (q: string, more: object = {}) => {
  const { body } = await mneme.post<{ results: { id: string; memory?: string }[] }>('/v4/search', {
    ...{ q, threshold: 0, containerTag: TAG },
    ...more,
  });
  return body.results;
};
const found = async (q: string, more: object = {}) => (await search(q, more)).map(({ memory }) => memory);
const forget = (body: object) => mneme.request('DELETE', MEMORIES, { containerTag: TAG, ...body });
const patch = (body: object) => mneme.request<Entry & { rootMemoryId: string }>('PATCH', MEMORIES, body);

test('is found when the call returns, listed, and is no document', async () => {
  const [oslo] = await record({ content: 'Mara lives in Oslo.', isStatic: true, metadata: { kind: ['home', 'fact'] } });
  expect(await search('Oslo')).toMatchObject([
    { id: oslo?.id, memory: 'Mara lives in Oslo.', version: 1, rootMemoryId: oslo?.id },
  ]);
  const filters = { AND: [{ key: 'kind', value: 'home', filterType: 'array_contains' }] };
  expect(await found('Oslo', { filters })).toEqual(['Mara lives in Oslo.']);
  expect(await list()).toMatchObject({
    memoryEntries: [
      {
        ...{ id: oslo?.id, version: 1, isLatest: true, isForgotten: false, isStatic: true, isInference: false },
        ...{ containerTag: TAG, sourceCount: 0, documentIds: [], history: [], parentMemoryId: null },
      },
    ],
    pagination: { totalItems: 1 },
  });
  expect((await mneme.get(`/v3/documents/${oslo?.id}`)).status).toBe(404);
  expect((await mneme.request('DELETE', `/v3/documents/${oslo?.id}`)).status).toBe(404);
  expect((await mneme.post('/v3/documents/list', {})).body).toMatchObject({ memories: [] });
  expect((await mneme.get('/v3/container-tags/list')).body).toMatchObject([
    { containerTag: TAG, documentCount: 0, memoryCount: 1 },
  ]);
});

test('equal memories are recorded once', async () => {
  const [first, again] = await record('Mara has a cat.', 'Mara has a cat.');
  expect(again).toEqual(first);
  const [static_] = await record({ content: 'Mara has a cat.', isStatic: true });
  expect(static_?.id).not.toBe(first?.id);
  expect((await record('Mara has a cat.'))[0]?.id).toBe(first?.id);
  expect((await list()).pagination).toMatchObject({ totalItems: 2 });
});

test('a request with an Idempotency-Key is carried out once', async () => {
  const body = { containerTag: TAG, memories: [{ content: 'Mara paints.' }] };
  const send = (more: object = {}) => mneme.request('POST', MEMORIES, { ...body, ...more }, { 'idempotency-key': 'k' });
  const first = await send();
  expect(first.status).toBe(201);
  await patch({ id: (first.body as { memories: Recorded[] }).memories[0]?.id, newContent: 'Mara sculpts.' });
  const again = await send();
  expect((again.body as { memories: Recorded[] }).memories[0]?.id).toBe(
    (first.body as { memories: Recorded[] }).memories[0]?.id,
  );
  expect(await texts()).toEqual(['Mara sculpts.']);
  expect((await send({ containerTag: 'other' })).status).toBe(409);
});

test('a revision is another version; the latest alone is found', async () => {
  const [oslo] = await record({ content: 'Mara lives in Oslo.', metadata: { kind: 'home' } });
  const bergen = await patch({
    containerTag: TAG,
    content: 'Mara lives in Oslo.',
    newContent: 'Mara lives in Bergen.',
  });
  expect(bergen).toMatchObject({
    status: 200,
    body: { version: 2, parentMemoryId: oslo?.id, rootMemoryId: oslo?.id, metadata: { kind: 'home' } },
  });
  expect(await found('Where does Mara live?')).toEqual(['Mara lives in Bergen.']);
  const by = async (id: string | undefined, newContent: string) => (await patch({ id, newContent })).body;
  const same = await by(bergen.body.id, 'Mara lives in Bergen.');
  expect(same).toMatchObject({ id: bergen.body.id, version: 2 });
  const tromso = await by(oslo?.id, 'Mara lives in Tromsø.');
  expect(tromso).toMatchObject({ version: 3, parentMemoryId: bergen.body.id, rootMemoryId: oslo?.id });
  const past = await by(bergen.body.id, 'Mara lives in Bodø.');
  expect(past).toMatchObject({ version: 4, parentMemoryId: tromso.id });
  expect((await list()).memoryEntries).toMatchObject([
    { id: past.id, version: 4, history: [{ id: tromso.id }, { id: bergen.body.id }, { id: oslo?.id, version: 1 }] },
  ]);
  const { body } = await mneme.get<{ events: { type: string }[] }>(`${MEMORIES}/${bergen.body.id}/events`);
  expect(body.events.filter(({ type }) => type.startsWith('Memory')).map(({ type }) => type)).toEqual([
    'MemoryRecorded',
    'MemoryRevised',
    'MemoryRevised',
    'MemoryRevised',
  ]);
});

test('what is forgotten comes back only by restoring it', async () => {
  const [cat] = await record('Mara has a cat.', 'Mara has a boat.');
  expect(await forget({ content: 'Mara has a cat.', reason: 'It died.' })).toMatchObject({
    status: 200,
    body: { id: cat?.id, forgotten: true },
  });
  expect(await found('Has Mara a cat?', { searchMode: 'hybrid' })).toEqual(['Mara has a boat.']);
  expect(await found('*')).toEqual(['Mara has a boat.']);
  expect(await texts()).toEqual(['Mara has a boat.']);
  expect((await mneme.post('/v4/profile', { containerTag: TAG })).body).toMatchObject({
    profile: { dynamic: ['Mara has a boat.'] },
  });
  expect(await search('Has Mara a cat?', { include: { forgottenMemories: true } })).toMatchObject([
    { memory: 'Mara has a cat.', isForgotten: true },
    { memory: 'Mara has a boat.' },
  ]);
  expect((await list({ includeForgotten: true })).pagination).toMatchObject({ totalItems: 2 });
  expect(await forget({ id: cat?.id })).toMatchObject({ status: 409, body: { code: 'already_forgotten' } });
  expect((await patch({ id: cat?.id, newContent: 'Mara has a dog.' })).status).toBe(404);
  await mneme.post(`${MEMORIES}/restore`, { containerTag: TAG, ids: [cat?.id, 'unknown'] });
  expect(await found('Has Mara a cat?')).toContain('Mara has a cat.');
});

test('what has expired is not found, and a revision can bring it back', async () => {
  const [leave] = await record({ content: 'Mara is on leave.', forgetAfter: '2020-01-01' }, 'Mara works.');
  expect(await found('Is Mara on leave?')).toEqual(['Mara works.']);
  expect(await texts()).toEqual(['Mara works.']);
  await patch({ id: leave?.id, newContent: 'Mara is on leave.', forgetAfter: null });
  expect(await found('Is Mara on leave?')).toContain('Mara is on leave.');
});

test('refusals', async () => {
  expect((await forget({})).status).toBe(400);
  expect((await forget({ content: 'unknown' })).status).toBe(404);
  expect((await patch({ newContent: 'x' })).status).toBe(400);
  expect((await patch({ containerTag: TAG, id: 'unknown', newContent: 'x' })).status).toBe(404);
  expect((await mneme.post(`${MEMORIES}/list`, {})).status).toBe(400);
  expect((await mneme.post(MEMORIES, { containerTag: TAG, memories: [] })).status).toBe(400);
  expect((await mneme.post(MEMORIES, { containerTag: TAG, memories: [{ content: '' }] })).status).toBe(400);
  const [cat] = await record('Mara has a cat.');
  expect((await mneme.request('DELETE', MEMORIES, { containerTag: 'other', id: cat?.id })).status).toBe(404);
});

test('goes with its tag, and moves with a merge', async () => {
  const [cat] = await record('Mara has a walrus.');
  await patch({ id: cat?.id, newContent: 'Mara has an otter.' });
  const merge = await mneme.post('/v3/container-tags/merge', {
    targetContainerTag: 'target',
    containerTags: [TAG],
  });
  expect(merge.status).toBe(202);
  await eventually(async () => {
    const { body } = await mneme.get(`/v3/container-tags/merge/${merge.body.mergeId}`);
    return body.status === 'completed' ? body : null;
  });
  expect(await found('otter', { containerTag: 'target' })).toEqual(['Mara has an otter.']);
  expect(await mneme.request('DELETE', '/v3/container-tags/target')).toMatchObject({ status: 200 });
  expect(await found('otter', { containerTag: 'target' })).toEqual([]);
  expect((await mneme.get(`${MEMORIES}/${cat?.id}/events`)).status).toBe(200);
  await untilErased(mneme, ['walrus', 'otter']);
});

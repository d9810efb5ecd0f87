import { MEMORIES, memoriesOf } from './support/memories.ts';
import { type Answer, Mneme } from './support/mneme.ts';

/** Invalid and unusual requests about memories: the contract's status and the name of the field. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

const TAG = 'refused';

function expectRefusal({ status, body }: Answer, names: string, code = 'invalid_request'): void {
  expect({ status, body }).toMatchObject({ status: 400, body: { code, details: names } });
  expect(body.message).toContain(names);
}

const recording = (memory: unknown): object => ({ containerTag: TAG, memories: [{ content: 'ok' }, memory] });

test.each<[string, object, string, string?]>([
  ['no tag', { memories: [{ content: 'x' }] }, 'containerTag'],
  ['an empty tag', { containerTag: '', memories: [{ content: 'x' }] }, 'containerTag'],
  ['no memories', { containerTag: TAG }, 'memories'],
  ['an empty list', { containerTag: TAG, memories: [] }, 'memories'],
  ['a string for a list', { containerTag: TAG, memories: 'x' }, 'memories'],
  ['101 memories', { containerTag: TAG, memories: Array(101).fill({ content: 'x' }) }, 'memories'],
  ['a string for a memory', recording('x'), 'memories[1]'],
  ['null for a memory', recording(null), 'memories[1]'],
  ['no content', recording({}), 'memories[1].content'],
  ['empty content', recording({ content: '' }), 'memories[1].content'],
  ['blank content', recording({ content: ' \n\u3000' }), 'memories[1].content'],
  ['a number as content', recording({ content: 7 }), 'memories[1].content'],
  ['10,001 characters', recording({ content: 'x'.repeat(10_001) }), 'memories[1].content'],
  ['a word for isStatic', recording({ content: 'x', isStatic: 'yes' }), 'memories[1].isStatic'],
  [
    'a number in a list of metadata',
    recording({ content: 'x', metadata: { k: [1] } }),
    'memories[1].metadata.k',
    'invalid_metadata',
  ],
  [
    'an object in metadata',
    recording({ content: 'x', metadata: { k: {} } }),
    'memories[1].metadata.k',
    'invalid_metadata',
  ],
  ['a day that no calendar has', recording({ content: 'x', forgetAfter: '2025-02-31' }), 'memories[1].forgetAfter'],
  ['a word as a time', recording({ content: 'x', forgetAfter: 'soon' }), 'memories[1].forgetAfter'],
  ['a number as a reason', recording({ content: 'x', forgetReason: 1 }), 'memories[1].forgetReason'],
  [
    'a word as a date',
    recording({ content: 'x', temporalContext: { documentDate: 'today' } }),
    'memories[1].temporalContext.documentDate',
  ],
  [
    'a string for dates',
    recording({ content: 'x', temporalContext: { eventDate: '2025-01-01' } }),
    'memories[1].temporalContext.eventDate',
  ],
])('POST refuses %s', async (_, body, ...refusal) => {
  expectRefusal(await mneme.post(MEMORIES, body), ...refusal);
});

test('metadata that does not fit beside the text is refused, also by a revision', async () => {
  const metadata = { note: 'x'.repeat(60_000) };
  const content = 'x'.repeat(10_000);
  const large = { containerTag: TAG, memories: [{ content: 'ok' }, { content, metadata }] };
  expectRefusal(await mneme.post(MEMORIES, large), 'metadata', 'invalid_metadata');
  const { record, patch } = memoriesOf(() => mneme, 'large');
  const [one] = await record({ content: 'ok', metadata }, { content: '\u0001'.repeat(10_000) });
  expectRefusal(
    (await patch({ id: one?.id, newContent: content })) as unknown as Answer,
    'metadata',
    'invalid_metadata',
  );
  expect((await patch({ id: one?.id, newContent: content, metadata: {} })).status).toBe(200);
});

test('nothing of a refused request is recorded', async () => {
  expect(await memoriesOf(() => mneme, TAG).texts()).toEqual([]);
});

test.each<[string, object, string]>([
  ['neither id nor content', { containerTag: TAG, newContent: 'x' }, 'id'],
  ['content without a tag', { content: 'a', newContent: 'x' }, 'containerTag'],
  ['no new content', { containerTag: TAG, id: 'a' }, 'newContent'],
  ['blank new content', { containerTag: TAG, id: 'a', newContent: ' ' }, 'newContent'],
  ['10,001 characters', { containerTag: TAG, id: 'a', newContent: 'x'.repeat(10_001) }, 'newContent'],
  ['a word as a time', { containerTag: TAG, id: 'a', newContent: 'x', forgetAfter: 'soon' }, 'forgetAfter'],
])('PATCH refuses %s', async (_, body, names) => {
  expectRefusal(await mneme.request('PATCH', MEMORIES, body), names);
});

test.each<[string, object, string]>([
  ['an empty body', {}, 'containerTag'],
  ['neither id nor content', { containerTag: TAG }, 'id'],
  ['no tag', { id: 'a' }, 'containerTag'],
  ['a number as a reason', { containerTag: TAG, id: 'a', reason: 5 }, 'reason'],
])('DELETE refuses %s', async (_, body, names) => {
  expectRefusal(await mneme.request('DELETE', MEMORIES, body), names);
});

test.each<[string, string, object, string]>([
  ['neither query nor ids', 'forget-matching', { containerTag: TAG }, 'query'],
  ['query and ids', 'forget-matching', { containerTag: TAG, query: 'x', ids: ['a'] }, 'query'],
  ['a blank query', 'forget-matching', { containerTag: TAG, query: ' ' }, 'query'],
  ['2,001 characters', 'forget-matching', { containerTag: TAG, query: 'x'.repeat(2_001) }, 'query'],
  ['no ids', 'forget-matching', { containerTag: TAG, ids: [] }, 'ids'],
  ['501 ids', 'forget-matching', { containerTag: TAG, ids: Array(501).fill('a') }, 'ids'],
  ['a threshold above 1', 'forget-matching', { containerTag: TAG, query: 'x', threshold: 2 }, 'threshold'],
  ['maxForget 0', 'forget-matching', { containerTag: TAG, query: 'x', maxForget: 0 }, 'maxForget'],
  ['maxForget 501', 'forget-matching', { containerTag: TAG, query: 'x', maxForget: 501 }, 'maxForget'],
  ['a word for dryRun', 'forget-matching', { containerTag: TAG, query: 'x', dryRun: 'yes' }, 'dryRun'],
  ['no ids', 'restore', { containerTag: TAG }, 'ids'],
  ['no tag', 'restore', { ids: ['a'] }, 'containerTag'],
  ['no tag', 'list', {}, 'containerTags'],
  ['an empty list of tags', 'list', { containerTags: [] }, 'containerTags'],
  ['a word for includeForgotten', 'list', { containerTag: TAG, includeForgotten: 'all' }, 'includeForgotten'],
  ['an unknown order', 'list', { containerTag: TAG, sort: 'version' }, 'sort'],
])('refuses %s: %s', async (_, path, body, names) => {
  expectRefusal(await mneme.post(`${MEMORIES}/${path}`, body), names);
});

test('an unknown memory is not found, by id or by text, also one of another tag, direct or of a document', async () => {
  const [mine] = await memoriesOf(() => mneme, 'mine').record('Mara has a cat.');
  await mneme.addAndWait('The kettle is blue.', { containerTag: 'mine' });
  const theirs = memoriesOf(() => mneme, 'theirs');
  const [passage] = await memoriesOf(() => mneme, 'mine').search('kettle');
  for (const id of ['unknown', 'x'.repeat(22), mine?.id, passage?.id]) {
    expect((await theirs.forget({ id })).status).toBe(404);
    expect((await theirs.patch({ id, newContent: 'Mara has a dog.' })).status).toBe(404);
    expect((await theirs.forgetMatching({ ids: [id] })).body).toMatchObject({ count: 0 });
    expect((await theirs.restore(id)).body).toEqual({ restored: [] });
  }
  for (const content of ['Mara has a cat.', 'The kettle is blue.', 'unknown', 'mara has a cat.']) {
    expect((await theirs.forget({ content })).status).toBe(404);
    expect((await theirs.patch({ content, newContent: 'Mara has a dog.' })).status).toBe(404);
  }
  expect((await theirs.forgetMatching({ query: 'kettle', threshold: 0 })).body).toMatchObject({ count: 0 });
  expect(await memoriesOf(() => mneme, 'mine').texts()).toEqual(['Mara has a cat.', 'The kettle is blue.']);
});

test('unusual texts are recorded as they are', async () => {
  const { record, texts, forget } = memoriesOf(() => mneme, 'a/b c%2F:ü');
  const unusual = [
    '  padded  ',
    "'; DROP TABLE documents; --",
    '\uD800 lone',
    'a\u0000b',
    'line\u2028two',
    '🦔'.repeat(10),
    '*',
  ];
  await record(...unusual);
  expect(await texts()).toEqual([...unusual].sort());
  for (const content of unusual) expect((await forget({ content })).status).toBe(200);
  expect(await texts()).toEqual([]);
});

test('null and unknown fields are read as absent', async () => {
  const { body } = await mneme.post(MEMORIES, {
    containerTag: 'nulls',
    memories: [
      { content: 'x', metadata: null, forgetAfter: null, forgetReason: null, temporalContext: null, other: 1 },
    ],
  });
  expect(body).toMatchObject({
    documentId: null,
    memories: [{ metadata: null, forgetAfter: null, forgetReason: null }],
  });
});

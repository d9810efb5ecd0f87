import { payloadsOf } from './support/log.ts';
import { Mneme } from './support/mneme.ts';

/** Settings over HTTP: what is stored, what takes effect, and that secrets neither come back nor stay. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
beforeEach(async () => {
  await reset();
});
afterAll(() => mneme.stop());

const reset = () => mneme.post('/v3/settings/reset', { confirmation: 'mneme' });

const patch = (body: object) => mneme.request('PATCH', '/v3/settings', body);
const get = async () => (await mneme.get('/v3/settings')).body;

/** Which of the words can be read from the log. */
async function logged(...words: readonly string[]): Promise<readonly string[]> {
  const payloads = await payloadsOf(mneme);
  return words.filter((word) => payloads.some((payload) => payload.includes(word)));
}

/** The secrets beside the log, without their values. */
async function stored(): Promise<readonly Record<string, unknown>[]> {
  const { out } = await mneme.cli('secrets', 'list', '--json');
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

test('settings are null at first, and every field is stored and cleared', async () => {
  const first = await get();
  expect(Object.keys(first)).toHaveLength(19);
  expect(new Set(Object.values(first))).toEqual(new Set([null]));
  const sent = {
    ...{ shouldLLMFilter: true, filterPrompt: 'Only tea', includeItems: ['tea'], excludeItems: { deep: [1, null] } },
    ...{ chunkSize: 40, workspacePrompt: 'We sell tea', profileBuckets: [{ key: 'tea', description: 'Teas' }] },
    ...{ githubClientId: 'id', githubCustomKeyEnabled: false },
  };
  const changed = await patch({ ...sent, unknown: 1 });
  expect(changed).toMatchObject({ status: 200, body: { orgId: expect.any(String), orgSlug: 'mneme', updated: sent } });
  expect(Object.keys(changed.body.updated as object)).toHaveLength(9);
  expect(await get()).toEqual({ ...first, ...sent });
  await patch({ filterPrompt: null, includeItems: null, excludeItems: null, shouldLLMFilter: false, chunkSize: null });
  expect(await get()).toMatchObject({ filterPrompt: null, shouldLLMFilter: false, workspacePrompt: 'We sell tea' });
});

test('settings of the filter need the filter', async () => {
  expect(await patch({ filterPrompt: 'x' })).toMatchObject({ status: 400, body: { details: 'shouldLLMFilter' } });
  expect(await patch({ includeItems: ['x'], shouldLLMFilter: true })).toMatchObject({ status: 200 });
  expect(await patch({ filterPrompt: 'x' })).toMatchObject({ status: 200 });
});

test.each([
  ['chunkSize', { chunkSize: 0 }],
  ['chunkSize', { chunkSize: 1.5 }],
  ['chunkSize', { chunkSize: '40' }],
  ['workspacePrompt', { workspacePrompt: 'x'.repeat(1501) }],
  ['filterPrompt', { shouldLLMFilter: true, filterPrompt: '' }],
  ['githubCustomKeyEnabled', { githubCustomKeyEnabled: 'yes' }],
  ['profileBuckets[0].key', { profileBuckets: [{ key: 'Tea', description: '' }] }],
])('a wrong %s is refused by its name', async (details, body) => {
  expect(await patch(body)).toMatchObject({ status: 400, body: { details } });
});

test('secrets are never returned and never in the log; the store has the last value, and none of a cleared one', async () => {
  const changed = await patch({ notionClientSecret: 'swordfish1' });
  expect(changed.body.updated).toEqual({ notionClientSecret: '********' });
  expect(await get()).toMatchObject({ notionClientSecret: '********', githubClientSecret: null });
  const [first] = await stored();
  expect(first).toMatchObject({ name: 'settings/notionClientSecret', opens: true });
  await patch({ notionClientSecret: '********' });
  await patch({ notionClientSecret: 'swordfish1' });
  expect(await stored()).toEqual([first]);
  await patch({ notionClientSecret: 'swordfish2', githubClientSecret: 'herring' });
  expect((await stored()).map(({ name }) => name)).toEqual([
    'settings/githubClientSecret',
    'settings/notionClientSecret',
  ]);
  await patch({ notionClientSecret: null });
  expect(await get()).toMatchObject({ notionClientSecret: null, githubClientSecret: '********' });
  expect(await stored()).toMatchObject([{ name: 'settings/githubClientSecret' }]);
  expect(await logged('swordfish1', 'swordfish2', 'herring')).toEqual([]);
});

test('chunkSize takes effect for content that is processed afterwards', async () => {
  const content = Array.from({ length: 20 }, (_, i) => `The kettle number ${i} is made of blue enamel.`).join(' ');
  const chunksOf = async (id: string) => {
    const { body } = await mneme.post<{ results: { chunks: unknown[] }[] }>('/v3/search', {
      ...{ q: 'kettle', docId: id, chunkThreshold: 0 },
    });
    return body.results[0]?.chunks.length ?? 0;
  };
  const before = await mneme.addAndWait(content);
  await patch({ chunkSize: 30 });
  const after = await mneme.addAndWait(content);
  expect(await chunksOf(before)).toBeLessThan(3);
  expect(await chunksOf(after)).toBeGreaterThan(4);
  await patch({ chunkSize: -1 });
  expect(await chunksOf(await mneme.addAndWait(content))).toBe(await chunksOf(before));
});

test('suggested buckets need a prompt', async () => {
  expect((await mneme.post('/v3/settings/suggest-buckets')).status).toBe(400);
  await patch({ workspacePrompt: 'We sell tea' });
  const { status, body } = await mneme.post<{ suggestions: { key: string }[] }>('/v3/settings/suggest-buckets');
  expect(status).toBe(200);
  expect(body.suggestions.length).toBeGreaterThanOrEqual(3);
  expect((await patch({ profileBuckets: body.suggestions })).status).toBe(200);
});

test('a reset erases documents, values of tags, settings and secrets, and keeps the key', async () => {
  await mneme.addAndWait('The walrus sings.', { containerTags: ['a', 'b'] });
  await mneme.addAndWait('The otter swims.', { containerTag: 'a' });
  await mneme.request('PATCH', '/v3/container-tags/a', { name: 'Animals' });
  await patch({ workspacePrompt: 'We love heather', notionClientSecret: 'swordfish' });

  for (const confirmation of ['', 'other', undefined]) {
    expect((await mneme.post('/v3/settings/reset', { confirmation })).status).toBe(400);
  }
  expect(await logged('walrus')).toEqual(['walrus']);
  expect(await reset()).toMatchObject({
    status: 200,
    body: {
      success: true,
      deletedConnections: 0,
      deletedDocumentsApprox: 2,
      deletedMemoryRows: 2,
      settingsReset: true,
    },
  });
  expect(await logged('walrus', 'otter', 'Animals', 'heather', 'swordfish')).toEqual([]);
  expect(await stored()).toEqual([]);
  expect(new Set(Object.values(await get()))).toEqual(new Set([null]));
  expect((await mneme.get('/v3/container-tags/list')).body).toEqual([]);
  await patch({ workspacePrompt: 'Anew' });
  expect(await get()).toMatchObject({ workspacePrompt: 'Anew' });
});

import { inParallel } from './support/load.ts';
import { type Answer, eventually, Mneme } from './support/mneme.ts';

/** Merges of container tags over HTTP: what they move, what they refuse meanwhile, and that they survive a crash. */

let mneme: Mneme;
beforeEach(async () => {
  mneme = await Mneme.start();
});
afterEach(() => mneme.stop());

const merge = (containerTags: readonly string[], targetContainerTag: string) =>
  mneme.post('/v3/container-tags/merge', { containerTags, targetContainerTag });
const mergeOf = (id: unknown) => mneme.get(`/v3/container-tags/merge/${id}`);
const completed = (id: unknown) =>
  eventually(async () => {
    const { body } = await mergeOf(id);
    return body.status === 'completed' ? body : null;
  });
const tagsOf = async () => {
  const { body } = await mneme.get<{ containerTag: string; documentCount: number }[]>('/v3/container-tags/list');
  return Object.fromEntries(body.map(({ containerTag, documentCount }) => [containerTag, documentCount]));
};
const countOf = async (tag: string) => {
  const { body } = await mneme.post('/v3/documents/list', { containerTags: [tag], limit: 1 });
  return (body.pagination as { totalItems: number }).totalItems;
};
const addMany = (count: number, fields: object) =>
  inParallel([...Array(count).keys()], 16, async (i) => {
    await mneme.add(`Entry ${i} about the kettle.`, fields);
  });

test('documents carry the target in place of the sources, and the sources are gone with what was set on them', async () => {
  const id = await mneme.addAndWait('The kettle is blue.', { containerTags: ['x', 'a', 'y', 'b'], customId: 'kettle' });
  await mneme.addAndWait('The cup is green.', { containerTag: 'b' });
  await mneme.addAndWait('The spoon is red.', { containerTag: 'target' });
  await mneme.request('PATCH', '/v3/container-tags/a', { name: 'Name of a' });

  const queued = await merge(['a', 'b', 'target'], 'target');
  expect(queued).toMatchObject({
    status: 202,
    body: { success: true, status: 'queued', targetTag: 'target', sourceTags: ['a', 'b'] },
  });
  expect(await completed(queued.body.mergeId)).toMatchObject({
    ...{ id: queued.body.mergeId, lastError: null },
    progress: { phase: 'completed', copiedRows: 2, completedSourceTags: ['a', 'b'], attempt: 1 },
  });
  expect(await tagsOf()).toEqual({ target: 3, x: 1, y: 1 });
  expect((await mneme.get('/v3/documents/kettle')).body).toMatchObject({ id, containerTags: ['x', 'target', 'y'] });
  for (const [tag, found] of [
    ['target', 1],
    ['a', 0],
  ] as const) {
    const { body } = await mneme.post('/v4/search', { q: 'kettle', containerTag: tag, threshold: 0 });
    expect((body.results as { memory: string }[]).filter(({ memory }) => memory.includes('kettle'))).toHaveLength(
      found,
    );
  }
  expect((await mneme.get('/v3/container-tags/a')).status).toBe(404);
  // The tag comes into being again with the next write to it, without its former name.
  await mneme.add('The pan is black.', { containerTag: 'a' });
  expect((await mneme.get('/v3/container-tags/a')).body).toMatchObject({ name: null });
});

test('no source but the target is a 400, an unknown source or merge a 404', async () => {
  await mneme.add('The kettle is blue.', { containerTag: 'a' });
  expect((await merge(['target'], 'target')).status).toBe(400);
  expect((await merge([], 'target')).status).toBe(400);
  expect((await merge(['a', 'unknown'], 'target')).status).toBe(404);
  expect((await mergeOf('unknown')).status).toBe(404);
});

test('during a merge, and after a crash in it, writes to a source are refused; then it is complete', async () => {
  await addMany(400, { containerTags: ['source', 'other'] });
  await mneme.add('To be deleted.', { containerTag: 'source', customId: 'kept' });
  const outside = await mneme.add('Outside.', { containerTag: 'other' });
  const queued = await merge(['source'], 'target');
  const form = new FormData();
  form.append('file', new File(['The file is yellow.'], 'file.txt'));
  form.append('containerTag', 'source');
  const writes: readonly Promise<Answer>[] = [
    mneme.post('/v3/documents', { content: 'New.', containerTags: ['elsewhere', 'source'] }),
    mneme.post('/v3/documents', { content: 'More of it.', containerTag: 'source', customId: 'kept' }),
    mneme.post('/v3/documents', { content: 'More of it.', customId: 'kept' }),
    mneme.request('POST', '/v3/documents/file', form),
    mneme.request('PATCH', '/v3/container-tags/source', { name: 'Source' }),
    mneme.request('PATCH', `/v3/documents/${outside}`, { containerTags: ['elsewhere', 'source'] }),
    mneme.request('DELETE', '/v3/container-tags/source'),
    mneme.post('/v4/conversations', {
      ...{ conversationId: 'talk', containerTags: ['source'], messages: [{ role: 'user', content: 'Hello.' }] },
    }),
    merge(['source'], 'elsewhere'),
    merge(['other'], 'source'),
  ];
  for (const { status, headers, body } of await Promise.all(writes)) {
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(headers.get('x-should-retry')).toBe('false');
  }
  const documents = ['target', 'source'].map((containerTag) => ({ content: 'New.', containerTag }));
  expect((await mneme.post('/v3/documents/batch', { documents })).body).toMatchObject({
    results: [{ status: 'queued' }, { id: '', status: 'error' }],
    ...{ success: 1, failed: 1 },
  });
  expect((await mneme.request('DELETE', '/v3/documents/kept')).status).toBe(204);

  mneme = await mneme.restart('SIGKILL');
  await completed(queued.body.mergeId);
  expect(await tagsOf()).toEqual({ other: 401, target: 401 });
  expect(await countOf('source')).toBe(0);
  expect((await mneme.post('/v3/documents', { content: 'New.', containerTag: 'source' })).status).toBe(200);
});

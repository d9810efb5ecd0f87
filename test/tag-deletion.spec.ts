import { Mneme } from './support/mneme.ts';

/** Deletion of container tags and projects over HTTP. */

let mneme: Mneme;
beforeEach(async () => {
  mneme = await Mneme.start();
});
afterEach(() => mneme.stop());

interface Project {
  readonly id: string;
  readonly containerTag: string;
}
const path = (tag: string) => `/v3/container-tags/${encodeURIComponent(tag)}`;
const tagsOf = async () => {
  const { body } = await mneme.get<{ containerTag: string; documentCount: number }[]>('/v3/container-tags/list');
  return Object.fromEntries(body.map(({ containerTag, documentCount }) => [containerTag, documentCount]));
};

test('a tag is deleted with its documents; those with another tag stay and lose it', async () => {
  const [gone, kept] = [
    await mneme.addAndWait('The walrus sings.', { containerTag: 'org/a' }),
    await mneme.addAndWait('The otter swims.', { containerTags: ['org/a', 'b'] }),
  ];
  await mneme.request('PATCH', path('org/a'), { name: 'A' });
  expect(await mneme.request('DELETE', path('org/a'))).toMatchObject({
    status: 200,
    body: { success: true, containerTag: 'org/a', deletedDocumentsCount: 1, deletedMemoriesCount: 1 },
  });
  expect((await mneme.get(`/v3/documents/${gone}`)).status).toBe(404);
  expect((await mneme.get(`/v3/documents/${kept}`)).body).toMatchObject({ containerTags: ['b'] });
  expect(await tagsOf()).toEqual({ b: 1 });
  const { body } = await mneme.post<{ results: unknown[] }>('/v4/search', { q: 'walrus', threshold: 0 });
  expect(JSON.stringify(body.results)).not.toContain('walrus');
  expect((await mneme.request('DELETE', path('org/a'))).status).toBe(404);
  await mneme.add('The seal sleeps.', { containerTag: 'org/a' });
  expect((await mneme.get(path('org/a'))).body).toMatchObject({ name: null });
});

test('projects are created, listed, and deleted with their documents or after these were moved', async () => {
  const create = async (name: string) => (await mneme.post<Project>('/v3/projects', { name, emoji: '🫖' })).body;
  const [tea, coffee] = [await create('Green Tea'), await create('Coffee')];
  expect(tea).toEqual({
    ...{ id: expect.stringMatching(/^[A-Za-z0-9]{22}$/), name: 'Green Tea', containerTag: 'sm_project_green-tea' },
    ...{ createdAt: expect.any(String), updatedAt: expect.any(String), isExperimental: false },
    ...{ documentCount: 0, emoji: '🫖' },
  });
  await mneme.addAndWait('Sencha is steamed.', { containerTag: tea.containerTag });
  await mneme.addAndWait('No project.', { containerTag: 'other' });
  expect((await mneme.get('/v3/projects')).body.projects).toMatchObject([
    { id: coffee.id },
    { id: tea.id, documentCount: 1 },
  ]);

  const remove = (id: string, body: object) => mneme.request('DELETE', `/v3/projects/${id}`, body);
  expect((await remove(tea.id, {})).status).toBe(400);
  expect((await remove(tea.id, { action: 'move' })).status).toBe(400);
  expect((await remove(tea.id, { action: 'move', targetProjectId: tea.id })).status).toBe(400);
  expect((await remove('unknown', { action: 'delete' })).status).toBe(404);
  expect(await remove(tea.id, { action: 'move', targetProjectId: coffee.id })).toMatchObject({
    status: 200,
    body: { success: true, message: expect.any(String), documentsAffected: 1, memoriesAffected: 1 },
  });
  expect(await tagsOf()).toEqual({ other: 1, [coffee.containerTag]: 1 });
  expect((await remove(coffee.id, { action: 'delete' })).body).toMatchObject({ documentsAffected: 1 });
  expect(await tagsOf()).toEqual({ other: 1 });
  for (const name of ['', 'x'.repeat(101), 7]) expect((await mneme.post('/v3/projects', { name })).status).toBe(400);
});

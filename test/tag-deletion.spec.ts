import { untilErased } from './support/erasure.ts';
import { inParallel } from './support/load.ts';
import { eventually, Mneme, whileItLasts } from './support/mneme.ts';

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
const tagsOf = async (of = mneme) => {
  const { body } = await of.get<{ containerTag: string; documentCount: number }[]>('/v3/container-tags/list');
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

test('a deletion of a tag, and a reset, that a crash interrupts are finished after the next start', async () => {
  const [name, prompt, secret, context] = Array.from({ length: 4 }, () => `zyx${crypto.randomUUID()}`);
  const { folder } = mneme;
  let server = mneme;
  const restarted: Mneme[] = [];
  const countOf = async (tag: string) => (await tagsOf(server))[tag] ?? 0;
  const add = (fields: object) =>
    inParallel([...Array(400).keys()], 16, async (i) => void (await server.add(`Entry ${i} of it.`, fields)));
  /** Kills the server when the request has deleted some documents of the tag, and starts it again. */
  const interrupt = async (tag: string, count: number, method: string, route: string, body?: object) => {
    await eventually(async () => ((await countOf(tag)) === count ? true : null));
    const answer = server.request(method, route, body).catch(() => null);
    await whileItLasts(async () => ((await countOf(tag)) < count ? true : null));
    await server.kill();
    await answer;
    server = await Mneme.start({ folder });
    restarted.push(server);
  };
  try {
    const shared = await mneme.add('It stays.', { containerTags: ['gone', 'b'] });
    await mneme.request('PATCH', path('gone'), { name });
    await add({ containerTag: 'gone' });
    await interrupt('gone', 401, 'DELETE', path('gone'));
    await eventually(async () => ((await server.get(path('gone'))).status === 404 ? true : null));
    expect((await server.get(`/v3/documents/${shared}`)).body).toMatchObject({ containerTags: ['b'] });

    await add({ containerTag: 'reset' });
    await server.request('PATCH', path('reset'), { entityContext: context });
    await server.request('PATCH', '/v3/settings', { workspacePrompt: prompt, notionClientSecret: secret });
    await interrupt('reset', 400, 'POST', '/v3/settings/reset', { confirmation: 'mneme' });
    const settings = async () => Object.values((await server.get('/v3/settings')).body);
    await eventually(async () => ((await settings()).every((value) => value === null) ? true : null));
    expect(await tagsOf(server)).toEqual({});
    await untilErased(server, [name!, prompt!, secret!, context!]);
  } finally {
    for (const one of restarted.reverse()) await one.stop();
  }
});

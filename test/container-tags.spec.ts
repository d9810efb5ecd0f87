import { eventually, Mneme } from './support/mneme.ts';

/** Container tags over HTTP: the list, what is set on a tag, and what scopes and bad input are answered. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

interface Tag {
  readonly containerTag: string;
  readonly documentCount: number;
  readonly memoryCount: number;
}
const path = (tag: string) => `/v3/container-tags/${encodeURIComponent(tag)}`;
const list = async () => (await mneme.get<readonly Tag[]>('/v3/container-tags/list')).body;
const listed = async (tag: string) => (await list()).find(({ containerTag }) => containerTag === tag);

test('a tag exists from the first write to it, with the fields that clients check', async () => {
  expect(await list()).toEqual([]);
  await mneme.addAndWait('The kettle is blue.');
  await mneme.addAndWait('The cups are green.', { containerTags: ['org/a', 'org:b c/%2F'] });
  const tags = await list();
  expect(tags.map(({ containerTag }) => containerTag)).toEqual(['org/a', 'org:b c/%2F', 'sm_project_default']);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(tags[2]).toEqual({
    ...{ id: expect.stringMatching(/^[A-Za-z0-9]{22}$/), name: 'sm_project_default', description: null },
    ...{ containerTag: 'sm_project_default', createdAt: time, updatedAt: time, lastActivityAt: time },
    ...{ isExperimental: false, isNova: true, documentCount: 1, memoryCount: 1 },
  });
  expect(tags[0]).toMatchObject({ isNova: false, documentCount: 1, memoryCount: 1 });
});

test('values are set, read, listed and cleared', async () => {
  const tag = 'org:b c/%2F';
  const values = { name: 'Cups', entityContext: 'Crockery', memoryFilesystemPaths: ['/cups/'] };
  const profileBuckets = [{ key: 'shelf_1', description: 'Top' }];
  const changed = await mneme.request('PATCH', path(tag), {
    ...{ ...values, profileBuckets, emoji: '🫖', visibility: 'private', unknown: 1 },
  });
  expect(changed).toMatchObject({ status: 200, body: { containerTag: tag, ...values, profileBuckets } });
  expect(changed.body.createdAt).toBeUndefined();
  const got = await mneme.get(path(tag));
  expect(got.body).toEqual({ ...changed.body, createdAt: expect.any(String) });
  expect(await listed(tag)).toMatchObject({ name: 'Cups', emoji: '🫖', visibility: 'private' });

  await mneme.request('PATCH', path(tag), { name: null, entityContext: null, profileBuckets: [] });
  const cleared = { name: null, entityContext: null, profileBuckets: [], memoryFilesystemPaths: ['/cups/'] };
  expect((await mneme.get(path(tag))).body).toMatchObject(cleared);
  expect(await listed(tag)).toMatchObject({ name: tag, emoji: '🫖' });
});

test('the profile of a tag is that of POST /v4/profile', async () => {
  const { body } = await mneme.post('/v4/profile', { containerTag: 'org/a' });
  expect((await mneme.get(`${path('org/a')}/profile`)).body).toEqual(body);
});

test.each([
  ['body', {}],
  ['name', { name: '' }],
  ['name', { name: 'x'.repeat(101) }],
  ['entityContext', { entityContext: 'x'.repeat(1501) }],
  ['memoryFilesystemPaths[1]', { memoryFilesystemPaths: ['a', 1] }],
  ['visibility', { visibility: 'hidden' }],
  ['profileBuckets[0].key', { profileBuckets: [{ key: 'static', description: '' }] }],
  ['profileBuckets[1].key', { profileBuckets: ['a', 'a'].map((key) => ({ key, description: '' })) }],
  ['profileBuckets[0].description', { profileBuckets: [{ key: 'a' }] }],
])('a wrong %s is refused by its name', async (details, body) => {
  expect(await mneme.request('PATCH', path('org/a'), body)).toMatchObject({ status: 400, body: { details } });
});

test('an unknown tag is a 404', async () => {
  expect(await mneme.get(path('unknown'))).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect((await mneme.request('PATCH', path('unknown'), { name: 'x' })).status).toBe(404);
  expect((await mneme.get(path('merge'))).status).toBe(404);
});

test('counts follow deletions', async () => {
  const id = await mneme.addAndWait('The spoons are gone.', { containerTag: 'spoons' });
  expect(await listed('spoons')).toMatchObject({ documentCount: 1, memoryCount: 1 });
  await mneme.request('DELETE', `/v3/documents/${id}`);
  await eventually(async () => ((await listed('spoons')) === undefined ? true : null));
});

test('the entity context of an add or upload is kept on the tag, unless it has one', async () => {
  const contextOf = async () => (await mneme.get(path('guided'))).body.entityContext;
  await mneme.add('No context.', { containerTag: 'guided' });
  expect(await contextOf()).toBeNull();
  const form = new FormData();
  form.append('file', new File(['The file is yellow.'], 'file.txt'));
  form.append('containerTag', 'guided');
  form.append('entityContext', 'Colours of files');
  expect((await mneme.request('POST', '/v3/documents/file', form)).status).toBe(200);
  await mneme.add('Another context.', { containerTag: 'guided', entityContext: 'Something else' });
  expect(await contextOf()).toBe('Colours of files');
});

test('the entity contexts of a batch are kept on the tags of the items that are added', async () => {
  const documents = [
    { content: 'One.', containerTag: 'batch-own', entityContext: 'Its own' },
    { content: 'Two.', containerTag: 'batch-own', entityContext: 'A later one' },
    { content: '', containerTag: 'batch-none', entityContext: 'Of nothing' },
    'Three.',
  ];
  const shared = { entityContext: 'For all', containerTags: ['batch-shared'] };
  expect((await mneme.post('/v3/documents/batch', { documents, ...shared })).body).toMatchObject({ success: 3 });
  const contextOf = async (tag: string) => (await mneme.get(path(tag))).body.entityContext;
  expect(await contextOf('batch-own')).toBe('Its own');
  expect(await contextOf('batch-shared')).toBe('For all');
  expect((await mneme.get(path('batch-none'))).status).toBe(404);
});

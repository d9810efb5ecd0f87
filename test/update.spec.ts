import { eventually, Mneme } from './support/mneme.ts';

/** PATCH of documents over HTTP. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

const patch = (id: string, body: object) => mneme.request('PATCH', `/v3/documents/${encodeURIComponent(id)}`, body);
const get = async (id: string) => (await mneme.get(`/v3/documents/${encodeURIComponent(id)}`)).body;
const listed = async (containerTag: string) =>
  (await mneme.post<{ memories: Record<string, unknown>[] }>('/v3/documents/list', { containerTag })).body.memories;
const found = async (q: string, fields: object = {}) =>
  (await mneme.post<{ total: number }>('/v3/search', { q, ...fields })).body.total;

test('new content replaces the old, is processed even if it is equal, and the old is not found', async () => {
  const id = await mneme.addAndWait('The heron waits by the weir.', { containerTag: 'content' });
  const { contentVersion } = (await eventsOf(id)).at(-1) as { contentVersion: number };
  expect(contentVersion).toBe(1);
  const content = 'A badger digs beneath the oak.';
  expect(await patch(id, { content })).toMatchObject({ status: 200, body: { id, status: 'queued' } });
  expect(await mneme.settled(id)).toMatchObject({ status: 'done', content, title: content });
  expect(await found('heron', { containerTag: 'content' })).toBe(0);
  expect(await found('badger', { containerTag: 'content' })).toBe(1);
  expect((await patch(id, { content })).body).toEqual({ id, status: 'queued' });
  expect((await mneme.settled(id)).content).toBe(content);
  expect((await eventsOf(id)).at(-1)).toMatchObject({ type: 'DocumentIndexed', contentVersion: 3 });
});

test('replaced content is not found either if the new content cannot be processed', async () => {
  const id = await mneme.addAndWait('A puffin nests in the cliff.', { containerTag: 'unreadable' });
  expect(await found('puffin', { containerTag: 'unreadable' })).toBe(1);
  await patch(id, { content: 'http://192.0.2.1/never-fetched' });
  expect(await mneme.settled(id)).toMatchObject({ status: 'failed' });
  await eventually(async () => ((await found('puffin', { containerTag: 'unreadable' })) === 0 ? true : null));
  await patch(id, { content: 'A puffin dives for eels.' });
  expect(await mneme.settled(id)).toMatchObject({ status: 'done' });
  expect(await found('puffin', { containerTag: 'unreadable' })).toBe(1);
});

test('details change in place: status, list and search follow at once, and fields not sent stay', async () => {
  const metadata = { kind: 'note', year: 2024 };
  const id = await mneme.addAndWait('The kiln is lit on Mondays.', {
    ...{ containerTags: ['pottery', 'shared'], customId: 'kiln', metadata, filepath: '/old/kiln.md' },
  });
  const changed = { metadata: { kind: 'plan' }, filepath: '/new/kiln.md', containerTags: ['craft', 'shared'] };
  expect((await patch('kiln', changed)).body).toEqual({ id, status: 'done' });
  expect(await get(id)).toMatchObject({ ...changed, customId: 'kiln', content: 'The kiln is lit on Mondays.' });
  await eventually(async () => ((await listed('craft')).length === 1 ? true : null));
  expect(await listed('craft')).toMatchObject([{ ...changed, id }]);
  expect(await listed('pottery')).toEqual([]);
  const plans = { filters: { AND: [{ key: 'kind', value: 'plan' }] }, filepath: '/new/' };
  await eventually(async () => ((await found('kiln', { ...plans, containerTag: 'craft' })) === 1 ? true : null));
  expect(await found('kiln', { containerTag: 'pottery' })).toBe(0);
  expect(await found('kiln', { containerTag: 'shared' })).toBe(1);
  expect((await eventsOf(id)).map(({ type }) => type)).not.toContain('ProcessingRestarted');
});

test('the date of a document is in its record and in lists, as it was sent, and follows an update at once', async () => {
  const id = await mneme.add('The ferry leaves at nine.', { containerTag: 'dated', documentDate: '2025-03-01' });
  const dates = async () => {
    const graph = await mneme.post<{ documents: Record<string, unknown>[] }>('/v3/documents/documents/by-ids', {
      ids: [id],
    });
    const records = [await get(id), ...(await listed('dated')), ...graph.body.documents];
    return records.map(({ documentDate }) => documentDate);
  };
  expect(await dates()).toEqual(['2025-03-01', '2025-03-01', '2025-03-01']);
  await patch(id, { documentDate: '2025-04-02T08:00:00Z' });
  expect((await dates())[0]).toBe('2025-04-02T08:00:00Z');
});

test('a new customId names the document at once and frees the former one', async () => {
  const id = await mneme.add('A name.', { customId: 'list' });
  expect((await patch('list', { customId: 'a/new name' })).body.id).toBe(id);
  expect((await get('a/new name')).id).toBe(id);
  expect((await mneme.get('/v3/documents/list')).status).toBe(404);
  const other = await mneme.add('Another.', { customId: 'list' });
  expect(other).not.toBe(id);
  const refused = await patch(other, { customId: 'a/new name' });
  expect(refused).toMatchObject({ status: 409, body: { code: 'conflict', details: 'customId' } });
  expect(refused.headers.get('x-should-retry')).toBe('false');
  expect(await mneme.add('More.', { customId: 'a/new name' })).toBe(id);
});

test('an update while the document is processed supersedes the run; two at once both take effect', async () => {
  const id = await mneme.add('First of all.', { containerTag: 'busy' });
  const [one, two] = await Promise.all([
    patch(id, { content: 'Second to none.', metadata: { n: 1 } }),
    patch(id, { filepath: '/x' }),
  ]);
  expect([one?.status, two?.status]).toEqual([200, 200]);
  expect(await mneme.settled(id)).toMatchObject({ content: 'Second to none.', metadata: { n: 1 }, filepath: '/x' });
});

test('a deleted document, or none, is not found; an update without a field is refused', async () => {
  const id = await mneme.add('Short-lived.', { customId: 'short' });
  expect((await patch(id, {})).status).toBe(400);
  await mneme.request('DELETE', `/v3/documents/${id}`);
  for (const name of [id, 'short', 'unknown']) expect((await patch(name, { content: 'x' })).status).toBe(404);
});

async function eventsOf(id: string): Promise<readonly Record<string, unknown>[]> {
  return (await mneme.get<{ events: Record<string, unknown>[] }>(`/v3/documents/${id}/events`)).body.events;
}

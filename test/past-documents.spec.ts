import { now } from './support/clock.ts';
import { Mneme } from './support/mneme.ts';

/** Documents as they were: `asOf` of `GET /v3/documents/{id}` and of lists. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

const asOf = (id: string, at: string) => mneme.get(`/v3/documents/${id}?asOf=${encodeURIComponent(at)}`);
test('content, memories, metadata and tags are those of the time, until the document is deleted', async () => {
  const early = await now();
  const id = await mneme.addAndWait('The heron nests in the reeds.', {
    ...{ customId: 'log/1', containerTag: 'birds', metadata: { kind: 'note' } },
  });
  const first = await now();
  await mneme.request('PATCH', `/v3/documents/${id}`, {
    ...{ content: 'The heron has left.', metadata: { kind: 'report' }, containerTags: ['lake'] },
  });
  await mneme.settled(id);
  const second = await now();
  for (const name of [id, encodeURIComponent('log/1')]) {
    expect(await asOf(name, first)).toMatchObject({
      status: 200,
      body: {
        ...{ id, status: 'done', content: 'The heron nests in the reeds.', metadata: { kind: 'note' } },
        ...{ containerTags: ['birds'], memories: [{ memory: 'The heron nests in the reeds.' }] },
      },
    });
  }
  expect((await asOf(id, second)).body).toEqual((await mneme.get(`/v3/documents/${id}`)).body);
  expect((await asOf(id, second)).body).toMatchObject({ content: 'The heron has left.', containerTags: ['lake'] });
  const listed = async (at: string, containerTags: readonly string[]) => {
    const { body } = await mneme.post<{ memories: readonly object[]; pagination: { totalItems: number } }>(
      '/v3/documents/list',
      { asOf: at, containerTags, includeContent: true },
    );
    expect(body.pagination.totalItems).toBe(body.memories.length);
    return body.memories;
  };
  expect(await listed(first, ['birds'])).toMatchObject([
    { id, content: 'The heron nests in the reeds.', status: 'done' },
  ]);
  expect(await listed(first, ['lake'])).toEqual([]);
  expect(await listed(second, ['birds'])).toEqual([]);
  expect(await listed(second, ['lake'])).toMatchObject([{ id, content: 'The heron has left.' }]);
  expect(await listed(early, ['birds', 'lake'])).toEqual([]);
  expect((await asOf(id, early)).status).toBe(404);
  expect((await asOf('unknown', second)).status).toBe(404);
  expect((await mneme.request('DELETE', `/v3/documents/${id}`)).status).toBe(204);
  expect((await asOf(id, first)).status).toBe(404);
  expect(await listed(first, ['birds', 'lake'])).toEqual([]);
});

test.each([
  ['yesterday', 'asOf must be a date YYYY-MM-DD or an ISO 8601 time'],
  ['2025-02-31', 'asOf must be a date YYYY-MM-DD or an ISO 8601 time'],
  ['', 'asOf must be a date YYYY-MM-DD or an ISO 8601 time'],
  ['2999-01-01T00:00:00.000Z', 'asOf must not be in the future'],
])('asOf=%s is refused', async (at, message) => {
  const refused = { status: 400, body: { message, details: 'asOf' } };
  expect(await asOf('any', at)).toMatchObject(refused);
  expect(await mneme.post('/v3/documents/list', { asOf: at })).toMatchObject(refused);
});

import { CountDocuments, GetDocumentsWithMemories, ListDocumentsWithMemories } from '#features/documents/use-cases';
import { asked } from '../testing/expectations.ts';
import { ROW } from '../testing/fixtures.ts';
import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();
beforeEach(() => {
  http.fake.units = [{ id: 'm1', kind: 'memory', ordinal: 0, text: 'a memory', speaker: null }];
});

const GRAPH = '/v3/documents/documents';
const CREATED = '2025-01-02T03:04:05.678Z';
const ENTRY = {
  ...{ id: 'm1', memory: 'a memory', spaceId: expect.stringMatching(/^[A-Za-z0-9]{22}$/) },
  ...{ isStatic: false, isLatest: true, isForgotten: false, forgetAfter: null, forgetReason: null, version: 1 },
  ...{ parentMemoryId: null, rootMemoryId: 'm1', memoryRelations: {}, createdAt: CREATED },
  ...{ updatedAt: '2025-01-02T03:04:06.001Z', sourceAddedAt: CREATED, sourceRelevanceScore: null },
  ...{ sourceMetadata: null, spaceContainerTag: 'sm_project_default', relation: null, updatesMemoryId: null },
  nextVersionId: null,
};

test('documents come with their memories', async () => {
  const { status, body } = await http.call('POST', GRAPH);
  expect(status).toBe(200);
  expect(body).toEqual({
    documents: [
      expect.objectContaining({
        ...{ id: ROW.id, containerTags: ['org/a'], memoryEntries: [ENTRY] },
        ...{ memories: [ENTRY], documentType: ROW.type },
      }),
    ],
    pagination: { currentPage: 1, totalPages: 1, totalItems: 3, limit: 10 },
  });
  expect(asked(http, ListDocumentsWithMemories)).toMatchObject({
    principal: { organization: 'acme' },
    tags: [],
    options: { sources: null, types: null, sort: 'createdAt', order: 'desc', page: 1, limit: 10 },
  });
});

test('every option is passed, and a high limit is clamped', async () => {
  const { body } = await http.call('POST', GRAPH, {
    ...{ page: '2', limit: 501, sort: 'updatedAt', order: 'asc', containerTags: ['a'], containerTag: 'b' },
    ...{ sources: ['upload'], categories: ['pdf', 'text'] },
  });
  expect(body.pagination).toEqual({ currentPage: 2, totalPages: 1, totalItems: 3, limit: 500 });
  expect(asked(http, ListDocumentsWithMemories)).toMatchObject({
    tags: ['b', 'a'],
    options: { sources: ['upload'], types: ['pdf', 'text'], sort: 'updatedAt', order: 'asc', page: 2, limit: 500 },
  });
});

test('empty arrays restrict nothing', async () => {
  await http.call('POST', GRAPH, { containerTags: [], sources: [], categories: [] });
  expect(asked(http, ListDocumentsWithMemories)).toMatchObject({
    tags: [],
    options: { sources: null, types: null },
  });
});

test('documents are read by their ids or customIds', async () => {
  const { body } = await http.call('POST', `${GRAPH}/by-ids`, {
    ids: ['x', ROW.id],
    by: 'customId',
    containerTag: 'a',
  });
  expect(body).toEqual({
    documents: [expect.objectContaining({ id: ROW.id, memoryEntries: [ENTRY] })],
    pagination: { currentPage: 1, totalPages: 1, totalItems: 1, limit: 2 },
  });
  expect(asked(http, GetDocumentsWithMemories)).toMatchObject({
    tags: ['a'],
    by: 'customId',
    names: ['x', ROW.id],
  });
});

test('categories are counted', async () => {
  const { body } = await http.call('POST', `${GRAPH}/facets`, { containerTags: ['a'] });
  expect(body).toEqual({
    facets: [
      { category: 'google_doc', label: 'Google doc', count: 2 },
      { category: 'pdf', label: 'PDF', count: 1 },
    ],
    total: 3,
  });
  expect(asked(http, CountDocuments)).toMatchObject({ principal: { organization: 'acme' }, tags: ['a'] });
});

test.each<[string, object, string]>([
  ['', { limit: 0 }, 'limit'],
  ['', { page: 'x' }, 'page'],
  ['', { sort: 'title' }, 'sort'],
  ['', { sources: 'api' }, 'sources'],
  ['', { categories: [1] }, 'categories[0]'],
  ['', { containerTags: [''] }, 'containerTags[0]'],
  ['/by-ids', {}, 'ids'],
  ['/by-ids', { ids: [] }, 'ids'],
  ['/by-ids', { ids: 'x' }, 'ids'],
  ['/by-ids', { ids: ['x', ''] }, 'ids[1]'],
  ['/by-ids', { ids: Array(501).fill('x') }, 'ids'],
  ['/by-ids', { ids: ['x'], by: 'name' }, 'by'],
  ['/facets', { containerTags: 7 }, 'containerTags'],
])('POST …%s %j is refused', async (path, payload, details) => {
  const answer = await http.call('POST', GRAPH + path, payload);
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', details } });
  expect(http.fake.asked).toEqual([]);
});

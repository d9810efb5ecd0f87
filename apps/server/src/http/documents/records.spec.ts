import { GetDocument, ListDocuments } from '#features/documents/use-cases';
import { asked } from '../testing/expectations.ts';
import { ROW } from '../testing/fixtures.ts';
import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();

const CONDITION = { key: 'kind', value: 'chat' };
const LIST = '/v3/documents/list';

describe('records', () => {
  const RECORD = {
    id: ROW.id,
    customId: 'conv-1',
    status: 'processing',
    processingStage: 'embedding',
    metadata: { kind: 'chat', turns: 2, vip: false },
    title: 'Title',
    summary: 'Summary',
    type: 'text',
    connectionId: null,
    createdAt: '2025-01-02T03:04:05.678Z',
    updatedAt: '2025-01-02T03:04:06.001Z',
  };

  test('a document has the columns of the contract', async () => {
    const { status, body } = await http.call('GET', '/v3/documents/conv-1');
    expect(status).toBe(200);
    expect(body).toEqual({
      ...RECORD,
      content: 'hello',
      containerTag: 'sm_project_default',
      containerTags: ['sm_project_default', 'org/a'],
      processingError: null,
      processingProgress: null,
      url: null,
      source: 'api',
      filepath: '/a.md',
      documentDate: '2024-12-31',
      language: 'en',
      author: 'Ann',
      canonicalUrl: null,
      ogImage: null,
      raw: null,
      spatialPoint: null,
      taskType: 'memory',
      dreamingStatus: 'dreaming',
    });
  });

  test('a failed document has its error', async () => {
    http.fake.row = {
      ...ROW,
      stage: 'failed',
      error: { stage: 'extracting', code: 'unsupported_type', message: 'No.' },
    };
    expect((await http.call('GET', '/v3/documents/x')).body).toMatchObject({
      status: 'failed',
      processingStage: 'failed',
      processingError: { code: 'unsupported_type', message: 'No.' },
    });
  });

  test.each(['a/b', 'a b', 'a%b', 'x'.repeat(255), 'ü'.repeat(255), '\u{1f600}'.repeat(127), '...', "'%_"])(
    'customId %j is decoded once',
    async (customId) => {
      expect((await http.call('GET', `/v3/documents/${encodeURIComponent(customId)}`)).status).toBe(200);
      expect(asked(http, GetDocument).idOrCustomId).toBe(customId);
    },
  );

  test('a list has the defaults of the contract', async () => {
    const answer = await http.call('POST', LIST, { limit: 2, page: '2' });
    expect(answer.body).toEqual({
      memories: [
        {
          ...RECORD,
          ...{ url: null, filepath: '/a.md', containerTag: 'sm_project_default', containerTags: ['org/a'] },
          ...{ documentDate: '2024-12-31', language: 'en', author: 'Ann', canonicalUrl: null },
        },
      ],
      pagination: { currentPage: 2, totalPages: 2, totalItems: 3, limit: 2 },
    });
    expect(asked(http, ListDocuments)).toMatchObject({ principal: { organization: 'acme' }, tags: [] });
    expect(asked(http, ListDocuments).options).toEqual({
      filter: null,
      filepath: null,
      stages: null,
      sources: null,
      customIds: null,
      includeContent: false,
      asOf: null,
      sort: 'createdAt',
      order: 'desc',
      page: 2,
      limit: 2,
    });
  });

  test('a list passes every option', async () => {
    const answer = await http.call('POST', LIST, {
      containerTags: 'a',
      containerTag: 'b',
      filters: JSON.stringify({ AND: [CONDITION] }),
      filepath: '/a/',
      includeContent: true,
      limit: '2000',
      sort: 'updatedAt',
      order: 'asc',
      status: ['processing', 'done'],
      source: 'upload',
      customId: 'c',
    });
    expect(answer.body.memories[0].content).toBe('hello');
    expect(answer.body.pagination.limit).toBe(1100);
    expect(asked(http, ListDocuments).tags).toEqual(['b', 'a']);
    expect(asked(http, ListDocuments).options).toMatchObject({
      filter: expect.anything(),
      filepath: '/a/',
      includeContent: true,
      limit: 1100,
      sort: 'updatedAt',
      order: 'asc',
      stages: ['extracting', 'chunking', 'embedding', 'indexing', 'done'],
      sources: ['upload'],
      customIds: ['c'],
    });
  });

  test('a page far beyond the end is clamped', async () => {
    http.fake.total = 0;
    const { body } = await http.call('POST', LIST, { page: Number.MAX_SAFE_INTEGER });
    expect(body.pagination).toEqual({ currentPage: Number.MAX_SAFE_INTEGER, totalPages: 0, totalItems: 0, limit: 10 });
    expect(asked(http, ListDocuments).options.page * 1100).toBeLessThan(Number.MAX_SAFE_INTEGER);
  });

  test('the status unknown finds no document', async () => {
    await http.call('POST', LIST, { status: 'unknown' });
    expect(asked(http, ListDocuments).options.stages).toEqual([]);
  });

  test('an empty array restricts nothing', async () => {
    await http.call('POST', LIST, { status: [], containerTags: [] });
    expect(asked(http, ListDocuments)).toMatchObject({ tags: [], options: { stages: null } });
  });

  test.each<[string, string[]]>([
    ['', []],
    ['?containerTags=a,b', ['a', 'b']],
    ['?containerTags=a&containerTags=b%2Fc', ['a', 'b/c']],
    ['?containerTag=a', ['a']],
  ])('processing%s', async (query, tags) => {
    const { body } = await http.call('GET', `/v3/documents/processing${query}`);
    expect(body).toEqual({ documents: [{ ...RECORD, containerTags: ROW.tags }], totalCount: 3 });
    expect(http.fake.asked[0]).toMatchObject({ principal: { organization: 'acme' }, tags });
  });

  test.each<[string, Record<string, string>, string]>([
    ['', {}, 'processing'],
    ['', { 'x-sm-status': 'stage' }, 'embedding'],
    ['?status=stage', {}, 'embedding'],
    ['', { 'x-sm-source': 'supermemory-mcp' }, 'embedding'],
    ['', { 'x-sm-source': 'other' }, 'processing'],
  ])('status with %j %j is %s', async (query, headers, status) => {
    expect((await http.call('GET', `/v3/documents/x${query}`, undefined, headers)).body.status).toBe(status);
    expect((await http.call('POST', `${LIST}${query}`, {}, headers)).body.memories[0].status).toBe(status);
    expect(
      (await http.call('GET', `/v3/documents/processing${query}`, undefined, headers)).body.documents[0].status,
    ).toBe(status);
  });
});

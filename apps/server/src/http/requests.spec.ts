import { AddDocument, GetDocument, ListDocuments } from '#documents/use-cases';
import { SearchDocuments, SearchMemories } from '#search/use-cases';
import { found, ROW, startTestApp, type TestApp } from './testing/fake-application.ts';

let http: TestApp;

beforeAll(async () => {
  http = await startTestApp();
});
afterAll(() => http.app.close());
beforeEach(() => {
  Object.assign(http.fake, { asked: [], fault: null, refusal: null, row: ROW, total: 3 });
});

/** The one thing that the application was asked. */
function asked<T>(kind: abstract new (...args: never[]) => T): T {
  expect(http.fake.asked).toHaveLength(1);
  expect(http.fake.asked[0]).toBeInstanceOf(kind);
  return http.fake.asked[0] as T;
}

const CONDITION = { key: 'kind', value: 'chat' };
const nested = (levels: number): object => (levels === 0 ? CONDITION : { AND: [nested(levels - 1)] });

const ADD = '/v3/documents';
const LIST = '/v3/documents/list';
const V3 = '/v3/search';
const V4 = '/v4/search';
const PROFILE = '/v4/profile';

describe('bad input names its field', () => {
  test.each<[string, object, string, string?]>([
    [ADD, {}, 'content'],
    [ADD, { content: null }, 'content'],
    [ADD, { content: '' }, 'content'],
    [ADD, { content: ' \n\t ' }, 'content'],
    [ADD, { content: '\u3000\u00a0' }, 'content'],
    [ADD, { content: 1 }, 'content'],
    [ADD, { content: ['x'] }, 'content'],
    [ADD, { content: { text: 'x' } }, 'content'],
    [ADD, { content: 'x', customId: '' }, 'customId'],
    [ADD, { content: 'x', customId: 'x'.repeat(256) }, 'customId'],
    [ADD, { content: 'x', customId: 7 }, 'customId'],
    [ADD, { content: 'x', customId: 'a\ud800' }, 'customId'],
    [ADD, { content: 'x', containerTag: '' }, 'containerTag'],
    [ADD, { content: 'x', containerTag: ['a'] }, 'containerTag'],
    [ADD, { content: 'x', containerTag: 'x'.repeat(256) }, 'containerTag'],
    [ADD, { content: 'x', containerTag: '\udc00' }, 'containerTag'],
    [ADD, { content: 'x', containerTags: 7 }, 'containerTags'],
    [ADD, { content: 'x', containerTags: {} }, 'containerTags'],
    [ADD, { content: 'x', containerTags: '' }, 'containerTags'],
    [ADD, { content: 'x', containerTags: ['a', ''] }, 'containerTags[1]'],
    [ADD, { content: 'x', containerTags: ['a', null] }, 'containerTags[1]'],
    [ADD, { content: 'x', containerTags: Array(201).fill('a') }, 'containerTags'],
    [ADD, { content: 'x', metadata: [] }, 'metadata', 'invalid_metadata'],
    [ADD, { content: 'x', metadata: 'a=1' }, 'metadata', 'invalid_metadata'],
    [ADD, { content: 'x', metadata: { tags: ['a'] } }, 'metadata.tags', 'invalid_metadata'],
    [ADD, { content: 'x', metadata: { a: 1, 'b c': { d: 1 } } }, 'metadata.b c', 'invalid_metadata'],
    [ADD, { content: 'x', metadata: { a: null } }, 'metadata.a', 'invalid_metadata'],
    [ADD, { content: 'x', metadata: { a: 'x'.repeat(65_536) } }, 'metadata', 'invalid_metadata'],
    [ADD, { content: 'x', metadata: { a: '\u0001'.repeat(11_000) } }, 'metadata', 'invalid_metadata'],
    [ADD, { content: 'x', entityContext: 'x'.repeat(1501) }, 'entityContext'],
    [ADD, { content: 'x', taskType: 'other' }, 'taskType'],
    [ADD, { content: 'x', dreaming: 'never' }, 'dreaming'],
    [ADD, { content: 'x', filepath: 1 }, 'filepath'],
    [ADD, { content: 'x', filterByMetadata: [] }, 'filterByMetadata'],
    [ADD, { content: 'x', filterByMetadata: { a: [{}] } }, 'filterByMetadata.a'],
    [ADD, { content: 'x', documentDate: 'yesterday' }, 'documentDate'],
    [ADD, { content: 'x', documentDate: '2025-02-30' }, 'documentDate'],
    [ADD, { content: 'x', documentDate: '2025-13-01T00:00:00Z' }, 'documentDate'],
    [ADD, { content: 'x', documentDate: 1_735_000_000 }, 'documentDate'],
    [LIST, { limit: 0 }, 'limit'],
    [LIST, { limit: -1 }, 'limit'],
    [LIST, { limit: 1.5 }, 'limit'],
    [LIST, { limit: 'ten' }, 'limit'],
    [LIST, { limit: '' }, 'limit'],
    [LIST, { limit: '1e3' }, 'limit'],
    [LIST, { limit: 1e300 }, 'limit'],
    [LIST, { page: 0 }, 'page'],
    [LIST, { page: true }, 'page'],
    [LIST, { sort: 'title' }, 'sort'],
    [LIST, { order: 'DESC' }, 'order'],
    [LIST, { includeContent: 'true' }, 'includeContent'],
    [LIST, { status: 'ready' }, 'status'],
    [LIST, { status: ['done', 'ready'] }, 'status[1]'],
    [LIST, { containerTags: [''] }, 'containerTags[0]'],
    [LIST, { filters: {} }, 'filters', 'invalid_filter'],
    [LIST, { filters: CONDITION }, 'filters', 'invalid_filter'],
    [LIST, { filters: [] }, 'filters', 'invalid_filter'],
    [LIST, { filters: '{' }, 'filters', 'invalid_filter'],
    [LIST, { filters: { AND: [] } }, 'filters.AND', 'invalid_filter'],
    [LIST, { filters: nested(9) }, 'filters.', 'invalid_filter'],
    [V3, {}, 'q'],
    [V3, { q: '' }, 'q'],
    [V3, { q: 1 }, 'q'],
    [V3, { q: 'x', limit: 0 }, 'limit'],
    [V3, { q: 'x', limit: 101 }, 'limit'],
    [V3, { q: 'x', limit: '10' }, 'limit'],
    [V3, { q: 'x', chunkThreshold: '0.5' }, 'chunkThreshold'],
    [V3, { q: 'x', chunkThreshold: 1.01 }, 'chunkThreshold'],
    [V3, { q: 'x', documentThreshold: -0.1 }, 'documentThreshold'],
    [V3, { q: 'x', docId: 'x'.repeat(256) }, 'docId'],
    [V3, { q: 'x', onlyMatchingChunks: 'no' }, 'onlyMatchingChunks'],
    [V3, { q: 'x', includeFullDocs: 1 }, 'includeFullDocs'],
    [V3, { q: 'x', rerank: 'true' }, 'rerank'],
    [V3, { q: 'x', categoriesFilter: 'a' }, 'categoriesFilter'],
    [V3, { q: 'x', filters: { AND: [{ key: 'a' }] } }, 'filters.AND[0]', 'invalid_filter'],
    [`${V3}?explain=yes`, { q: 'x' }, 'explain'],
    [V4, { q: 'x', threshold: 2 }, 'threshold'],
    [V4, { q: 'x', threshold: '0.6' }, 'threshold'],
    [V4, { q: 'x', searchMode: 'all' }, 'searchMode'],
    [V4, { q: 'x', aggregate: 1 }, 'aggregate'],
    [V4, { q: 'x', include: [] }, 'include'],
    [V4, { q: 'x', include: true }, 'include'],
    [V4, { q: 'x', include: { forgottenMemories: 'true' } }, 'include.forgottenMemories'],
    [PROFILE, {}, 'containerTag'],
    [PROFILE, { containerTag: '' }, 'containerTag'],
    [PROFILE, { containerTag: ['a'] }, 'containerTag'],
    [PROFILE, { containerTag: 'a', include: ['all'] }, 'include[0]'],
    [PROFILE, { containerTag: 'a', include: 'static' }, 'include'],
    [PROFILE, { containerTag: 'a', q: 1 }, 'q'],
    [PROFILE, { containerTag: 'a', buckets: [1] }, 'buckets[0]'],
  ])('POST %s %j', async (url, payload, details, code = 'invalid_request') => {
    const answer = await http.call('POST', url, payload);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code, message: expect.any(String), error: answer.body.message });
    expect(answer.body.details.startsWith(details)).toBe(true);
    expect(http.fake.asked).toEqual([]);
  });

  test('the message says what is wrong with which key', async () => {
    const { body } = await http.call('POST', ADD, { content: 'x', metadata: { tags: ['a'] } });
    expect(body).toMatchObject({
      message: 'metadata.tags must be a string, number or boolean',
      details: 'metadata.tags',
      code: 'invalid_metadata',
    });
  });

  test.each(['', 'x'.repeat(256)])('Idempotency-Key %j', async (key) => {
    const answer = await http.call('POST', ADD, { content: 'x' }, { 'idempotency-key': key });
    expect(answer.status).toBe(400);
    expect(answer.body.details).toBe('Idempotency-Key');
  });
});

describe('add', () => {
  const add = async (payload: object, headers = {}) => {
    const answer = await http.call('POST', ADD, { content: 'x', ...payload }, headers);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ id: 'new', status: 'queued' });
    return asked(AddDocument);
  };

  test('all of it', async () => {
    const metadata = { kind: 'chat', turns: 2, vip: false, __proto__x: 'y' };
    const command = await add(
      {
        content: ' a\r\n\ud800 \u0000b ',
        customId: "'; DROP TABLE x --",
        containerTag: 'org/a/user/1',
        metadata,
        entityContext: 'x'.repeat(1500),
        taskType: 'superrag',
        filepath: '/a/b.md',
        filterByMetadata: { a: ['b', 1], c: true },
        documentDate: '2025-01-31',
        dreaming: 'instant',
      },
      { 'idempotency-key': 'once' },
    );
    expect(command.caller).toMatchObject({ organization: 'acme', keyId: 'k1' });
    expect(command.idempotencyKey).toBe('once');
    expect(command.document).toEqual({
      content: ' a\r\n\ud800 \u0000b ',
      customId: "'; DROP TABLE x --",
      tags: ['org/a/user/1'],
      metadata,
      filepath: '/a/b.md',
      taskType: 'superrag',
      documentDate: '2025-01-31',
    });
  });

  test('the least, with what clients send beside it', async () => {
    const command = await add({
      title: 1,
      url: [],
      raw: {},
      limit: 'x',
      constructor: 'x',
      metadata: null,
      customId: null,
    });
    expect(command.idempotencyKey).toBeNull();
    expect(command.document).toEqual({
      content: 'x',
      customId: null,
      tags: ['sm_project_default'],
      metadata: null,
      filepath: null,
      taskType: 'memory',
      documentDate: null,
    });
  });

  test.each<[object, string[]]>([
    [{ containerTags: ['b', 'a', 'b'] }, ['b', 'a']],
    [{ containerTags: 'b' }, ['b']],
    [{ containerTag: 'c', containerTags: ['b', 'c', 'a'] }, ['c', 'b', 'a']],
    [{ containerTag: 'c', containerTags: 'b' }, ['c', 'b']],
    [{ containerTags: [] }, ['sm_project_default']],
    [{ containerTag: '\u{1f600}'.repeat(127) }, ['\u{1f600}'.repeat(127)]],
    [{ containerTag: '%_\\\' " * AND' }, ['%_\\\' " * AND']],
  ])('tags of %j', async (payload, tags) => {
    expect((await add(payload)).document.tags).toEqual(tags);
  });

  test.each(['2025-01-31T12:00:00Z', '2025-01-31T12:00:00.123+02:00', '2024-02-29'])(
    'date %s',
    async (documentDate) => {
      expect((await add({ documentDate })).document.documentDate).toBe(documentDate);
    },
  );

  test('metadata of just 64 KiB, and a key that is no ordinary property', async () => {
    const metadata = JSON.parse(`{"__proto__":"kept","a":"${'x'.repeat(65_536 - 27)}"}`);
    expect(JSON.stringify(metadata).length).toBe(65_536);
    const command = await add({ metadata });
    expect(JSON.stringify(command.document.metadata) === JSON.stringify(metadata)).toBe(true);
  });
});

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

  test('one document', async () => {
    const { status, body } = await http.call('GET', '/v3/documents/conv-1');
    expect(status).toBe(200);
    expect(body).toEqual({
      ...RECORD,
      content: 'hello',
      containerTag: 'sm_project_default',
      containerTags: ['sm_project_default', 'org/a'],
      processingError: null,
      url: null,
      source: 'api',
      filepath: '/a.md',
      ogImage: null,
      raw: null,
      spatialPoint: null,
      taskType: 'memory',
      dreamingStatus: 'dreaming',
    });
  });

  test('a failed one says why', async () => {
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
    'customId %j arrives decoded once',
    async (customId) => {
      expect((await http.call('GET', `/v3/documents/${encodeURIComponent(customId)}`)).status).toBe(200);
      expect(asked(GetDocument).idOrCustomId).toBe(customId);
    },
  );

  test('list', async () => {
    const answer = await http.call('POST', LIST, { limit: 2, page: '2' });
    expect(answer.body).toEqual({
      memories: [
        { ...RECORD, url: null, filepath: '/a.md', containerTag: 'sm_project_default', containerTags: ['org/a'] },
      ],
      pagination: { currentPage: 2, totalPages: 2, totalItems: 3, limit: 2 },
    });
    expect(asked(ListDocuments).options).toEqual({
      tags: 'all',
      filter: null,
      filepath: null,
      stages: null,
      source: null,
      customId: null,
      includeContent: false,
      sort: 'createdAt',
      order: 'desc',
      page: 2,
      limit: 2,
    });
  });

  test('list with everything', async () => {
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
    expect(asked(ListDocuments).options).toMatchObject({
      tags: ['b', 'a'],
      filter: expect.anything(),
      filepath: '/a/',
      includeContent: true,
      limit: 1100,
      sort: 'updatedAt',
      order: 'asc',
      stages: ['extracting', 'chunking', 'embedding', 'indexing', 'done'],
      source: 'upload',
      customId: 'c',
    });
  });

  test('a page far behind the end stays a number that can be counted with', async () => {
    http.fake.total = 0;
    const { body } = await http.call('POST', LIST, { page: Number.MAX_SAFE_INTEGER });
    expect(body.pagination).toEqual({ currentPage: Number.MAX_SAFE_INTEGER, totalPages: 0, totalItems: 0, limit: 10 });
    expect(asked(ListDocuments).options.page * 1100).toBeLessThan(Number.MAX_SAFE_INTEGER);
  });

  test('a status that no document ever has finds none', async () => {
    await http.call('POST', LIST, { status: 'unknown' });
    expect(asked(ListDocuments).options.stages).toEqual([]);
  });

  test.each<[string, 'all' | string[]]>([
    ['', 'all'],
    ['?containerTags=a,b', ['a', 'b']],
    ['?containerTags=a&containerTags=b%2Fc', ['a', 'b/c']],
    ['?containerTag=a', ['a']],
  ])('processing%s', async (query, tags) => {
    const { body } = await http.call('GET', `/v3/documents/processing${query}`);
    expect(body).toEqual({ documents: [{ ...RECORD, containerTags: ROW.tags }], totalCount: 3 });
    expect(http.fake.asked[0]).toMatchObject({ tags });
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

describe('search', () => {
  test('documents', async () => {
    const { status, body } = await http.call('POST', V3, { q: '*' });
    expect(status).toBe(200);
    expect(body).toEqual({
      results: [
        {
          documentId: ROW.id,
          id: ROW.id,
          customId: 'conv-1',
          title: 'Title',
          type: 'text',
          score: 0.8,
          chunks: [{ content: 'a chunk', isRelevant: true, score: 0.8, position: 3 }],
          metadata: ROW.metadata,
          createdAt: '2025-01-02T03:04:05.678Z',
          updatedAt: '2025-01-02T03:04:06.001Z',
        },
      ],
      timing: expect.any(Number),
      total: 1,
    });
    expect(asked(SearchDocuments).options).toEqual({
      question: '*',
      tags: 'all',
      filter: null,
      filepath: null,
      limit: 10,
      chunkThreshold: 0,
      documentThreshold: 0,
      documentId: null,
      onlyMatchingChunks: true,
      includeFullDocs: false,
    });
  });

  test('documents with everything', async () => {
    const { body } = await http.call('POST', `${V3}?explain=true`, {
      q: '"a" OR b* \ud800',
      containerTags: ['a', 'b'],
      limit: 100,
      filters: { OR: [CONDITION] },
      filepath: '/a/',
      chunkThreshold: 1,
      documentThreshold: 0.5,
      docId: 'conv-1',
      onlyMatchingChunks: false,
      includeFullDocs: true,
      includeSummary: true,
      rerank: true,
      rewriteQuery: true,
      categoriesFilter: ['a'],
      unknown: 1,
    });
    expect(body.results[0]).toMatchObject({ content: 'hello', summary: 'Summary' });
    expect(body.results[0].chunks[0].explain).toEqual({ cosine: 0.9, cosineWide: 0.8, coverage: 0.5 });
    expect(asked(SearchDocuments).options).toEqual({
      question: '"a" OR b* \ud800',
      tags: ['a', 'b'],
      filter: expect.anything(),
      filepath: '/a/',
      limit: 100,
      chunkThreshold: 1,
      documentThreshold: 0.5,
      documentId: 'conv-1',
      onlyMatchingChunks: false,
      includeFullDocs: true,
    });
  });

  const FOUND = {
    similarity: 0.7,
    title: 'Title',
    metadata: ROW.metadata,
    updatedAt: '2025-01-02T03:04:06.001Z',
    filepath: '/a.md',
  };

  test('memories: exactly one of memory and chunk, never a context', async () => {
    const { body } = await http.call('POST', V4, {
      q: 'x',
      include: { relatedMemories: true, forgottenMemories: true },
    });
    expect(body).toEqual({
      results: [
        { ...FOUND, id: 'memory-1', memory: 'a memory', version: 1, rootMemoryId: 'memory-1' },
        { ...FOUND, id: 'chunk-1', chunk: 'a chunk', documentId: ROW.id },
      ],
      timing: expect.any(Number),
      total: 2,
    });
    expect(asked(SearchMemories).options).toEqual({
      question: 'x',
      tags: 'all',
      filter: null,
      filepath: null,
      limit: 10,
      mode: 'memories',
      threshold: 0.6,
    });
  });

  test.each<[object, string]>([
    [{ searchMode: 'hybrid' }, 'hybrid'],
    [{ searchMode: 'documents', include: { chunks: true } }, 'documents'],
    [{ include: { chunks: true } }, 'hybrid'],
  ])('mode of %j', async (payload, mode) => {
    await http.call('POST', V4, { q: 'x', ...payload });
    expect(asked(SearchMemories).options.mode).toBe(mode);
  });

  test.each<[object, object | undefined]>([
    [{}, undefined],
    [{ documents: true }, { title: 'Title', type: 'text', metadata: ROW.metadata }],
    [{ summaries: true }, { summary: 'Summary' }],
    [
      { documents: true, summaries: true },
      { title: 'Title', type: 'text', metadata: ROW.metadata, summary: 'Summary' },
    ],
  ])('source documents with include %j', async (include, expected) => {
    const { body } = await http.call('POST', V4, { q: 'x', include });
    const times = { createdAt: '2025-01-02T03:04:05.678Z', updatedAt: '2025-01-02T03:04:06.001Z' };
    expect(body.results[0].documents).toEqual(expected && [{ id: ROW.id, ...expected, ...times }]);
  });

  test('a document without a title has none in the result; explain on wish', async () => {
    http.fake.memories = [found('memory', { ...ROW, title: null })];
    const { body } = await http.call('POST', V4, { q: 'x', explain: true });
    expect(body.results[0]).not.toHaveProperty('title');
    expect(body.results[0].explain).toEqual({ cosine: 0.9, cosineWide: 0.8, coverage: 0.5 });
  });
});

describe('profile', () => {
  const PROFILE_BODY = { static: ['likes tea'], dynamic: [], buckets: {} };

  test('without a question', async () => {
    const { status, body } = await http.call('POST', PROFILE, { containerTag: 'u/1', limit: 5 });
    expect(status).toBe(200);
    expect(body).toEqual({ profile: PROFILE_BODY });
    expect(http.fake.asked).toMatchObject([
      { options: { tag: 'u/1', filter: null, sections: ['static', 'dynamic', 'buckets'] } },
    ]);
  });

  test('with one: hybrid search in that tag', async () => {
    const { body } = await http.call('POST', PROFILE, { containerTag: 'u', q: 'x', include: ['static'], threshold: 0 });
    expect(body).toMatchObject({ profile: PROFILE_BODY, searchResults: { total: http.fake.memories.length } });
    expect(http.fake.asked).toMatchObject([
      { options: { tag: 'u', sections: ['static'] } },
      { options: { question: 'x', tags: ['u'], mode: 'hybrid', threshold: 0, limit: 10 } },
    ]);
  });

  test('a blank question finds nothing, but in the place where clients look', async () => {
    const { body } = await http.call('POST', PROFILE, { containerTag: 'u', q: ' ' });
    expect(body.searchResults).toEqual({ results: [], total: 0, timing: 0 });
  });
});

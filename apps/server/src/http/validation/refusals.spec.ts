import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();

const CONDITION = { key: 'kind', value: 'chat' };
const nested = (levels: number): object => (levels === 0 ? CONDITION : { AND: [nested(levels - 1)] });

const ADD = '/v3/documents';
const LIST = '/v3/documents/list';
const V3 = '/v3/search';
const V4 = '/v4/search';
const PROFILE = '/v4/profile';

describe('invalid input is refused with the name of its field', () => {
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
    [ADD, { content: 'x', customId: '🐝'.repeat(256) }, 'customId'],
    [ADD, { content: 'x', customId: 7 }, 'customId'],
    [ADD, { content: 'x', customId: 'a\ud800' }, 'customId'],
    [ADD, { content: 'x', containerTag: '' }, 'containerTag'],
    [ADD, { content: 'x', containerTag: ['a'] }, 'containerTag'],
    [ADD, { content: 'x', containerTag: 'x'.repeat(256) }, 'containerTag'],
    [ADD, { content: 'x', containerTag: '\udc00' }, 'containerTag'],
    [ADD, { content: 'x', containerTags: ['🐝'.repeat(256)] }, 'containerTags[0]'],
    [ADD, { content: 'x', containerTags: 7 }, 'containerTags'],
    [ADD, { content: 'x', containerTags: Array.from({ length: 65 }, (_, i) => `${i}`) }, 'containerTags'],
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
    [LIST, { filters: { AND: [CONDITION, { key: 'a', value: {} }] } }, 'filters.AND[1].value', 'invalid_filter'],
    [LIST, { filters: { AND: [{ metadata: {} }] } }, 'filters.AND[0].metadata', 'invalid_filter'],
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
    expect(answer.body.message.startsWith(answer.body.details)).toBe(true);
    expect(http.fake.asked).toEqual([]);
  });

  test('the message names the key and the reason', async () => {
    const { body } = await http.call('POST', ADD, { content: 'x', metadata: { tags: ['a'] } });
    expect(body).toMatchObject({
      message: 'metadata.tags must be a string, number or boolean',
      details: 'metadata.tags',
      code: 'invalid_metadata',
    });
  });

  test.each([
    ['GET', '/v3/documents/x?status=banana', {}, 'status'],
    ['GET', '/v3/documents/x?status=', {}, 'status'],
    ['GET', '/v3/documents/x?status=stage&status=stage', {}, 'status'],
    ['GET', '/v3/documents/x?status=stage', { 'x-sm-status': 'banana' }, 'x-sm-status'],
    ['GET', '/v3/documents/processing?status=banana', { 'x-sm-source': 'supermemory-mcp' }, 'status'],
    ['POST', `${LIST}?status=banana`, {}, 'status'],
    ['POST', `${ADD}?status=banana`, {}, 'status'],
  ] as const)('%s %s with the headers %j', async (method, url, headers, details) => {
    const payload = method === 'POST' ? { content: 'x' } : undefined;
    const answer = await http.call(method, url, payload, headers);
    expect(answer).toMatchObject({ status: 400, body: { details, code: 'invalid_request' } });
    expect(http.fake.asked).toEqual([]);
  });

  test.each(['', 'x'.repeat(256)])('Idempotency-Key %j', async (key) => {
    const answer = await http.call('POST', ADD, { content: 'x' }, { 'idempotency-key': key });
    expect(answer.status).toBe(400);
    expect(answer.body.details).toBe('Idempotency-Key');
  });
});

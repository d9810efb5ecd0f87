import { AddDocument } from '#features/documents/use-cases';
import { NATS_ADDRESS } from '../index.ts';
import { asked, expectErrorBody } from '../testing/expectations.ts';
import { useTestApp } from '../testing/use-test-app.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
/** Above the size that the main thread parses. */
const LARGE = 'x'.repeat(1_500_000);
const MANY = Array(20_000).fill(0);

const http = useTestApp();

describe('a key that is one slip away from a known one is refused with both names', () => {
  test.each<[string, string, object, string, string]>([
    ['POST', '/v3/documents', { content: 'x', container_tag: 'a' }, 'container_tag', 'containerTag'],
    ['POST', '/v3/documents', { content: 'x', containerTagg: 'a' }, 'containerTagg', 'containerTag'],
    ['POST', '/v3/documents', { content: 'x', custom_id: 'a' }, 'custom_id', 'customId'],
    ['POST', '/v3/documents', { conten: 'x' }, 'conten', 'content'],
    ['POST', '/v3/documents', { content: 'x', metaData: null }, 'metaData', 'metadata'],
    ['PATCH', '/v3/documents/x', { content: 'x', filePath: '/a' }, 'filePath', 'filepath'],
    ['POST', '/v3/documents/batch', { documents: ['x'], taskTyp: 'memory' }, 'taskTyp', 'taskType'],
    ['POST', '/v3/documents/list', { filter: { AND: [] } }, 'filter', 'filters'],
    ['DELETE', '/v3/documents/bulk', { container_tags: ['a'] }, 'container_tags', 'containerTags'],
    ['POST', '/v3/search', { q: 'x', docid: 'a' }, 'docid', 'docId'],
    ['POST', '/v4/search', { q: 'x', treshold: 0.5 }, 'treshold', 'threshold'],
    ['POST', '/v4/search', { q: 'x', limits: 5 }, 'limits', 'limit'],
    ['POST', '/v4/search?explian=true', { q: 'x' }, 'explian', 'explain'],
    ['POST', '/v3/documents?Status=stage', { content: 'x' }, 'Status', 'status'],
    ['POST', '/v4/conversations', { conversation_id: 'c', messages: [] }, 'conversation_id', 'conversationId'],
    ['POST', '/v3/documents', { content: LARGE, container_tag: 'a' }, 'container_tag', 'containerTag'],
    ['POST', '/v3/documents', { content: 'x', other: MANY, container_tag: 'a' }, 'container_tag', 'containerTag'],
  ])('%s %s', async (method, url, body, key, meant) => {
    const answer = await http.call(method, url, body);
    expect(answer.status).toBe(400);
    expectErrorBody(answer, 'invalid_request');
    expect(answer.body).toMatchObject({ message: `Unknown field ${key}. Did you mean ${meant}?`, details: key });
    expect(http.fake.asked).toEqual([]);
  });

  test.each([
    ['/v3/documents/processing?containertag=a', 'containertag'],
    ['/v3/events?typs=DocumentAdded', 'typs'],
  ])('GET %s', async (url, key) => {
    const answer = await http.call('GET', url);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', details: key } });
  });

  test('after the key is checked', async () => {
    const url = '/v3/documents?Status=stage';
    expect((await http.app.inject({ method: 'POST', url, payload: {} })).statusCode).toBe(401);
  });
});

describe('every other unknown key is ignored', () => {
  test.each<[string, object]>([
    ['inside metadata', { metadata: { container_tag: 'a', customid: 1 } }],
    ['that resembles none', { title: 'a', url: 'https://example.com', raw: 'x', containerTagName: 'a' }],
    ['that is known on another route', { threshold: 1, source: 'a', sources: ['a'], ids: [], limit: 'x' }],
    ['that is known in a form', { mimeType: 1, fileType: 'nonsense' }],
    ['of a large body', { other: { container_tag: LARGE }, title: 'a' }],
  ])('%s', async (_, extra) => {
    const answer = await http.call('POST', '/v3/documents', { content: 'x', ...extra });
    expect(answer.status).toBe(200);
    expect(asked(http, AddDocument).document).toMatchObject({ content: 'x', customId: null });
  });

  test('inside filters and other objects', async () => {
    const filters = { AND: [{ key: 'container_tag', value: 'a' }] };
    const body = { q: 'x', filters, include: { document: true } };
    expect((await http.call('POST', '/v4/search', body)).status).toBe(200);
  });

  test('in a query that the route does not read, and in an item of a batch', async () => {
    const documents = [{ content: 'x', container_tag: 'a' }];
    const { status, body } = await http.call('POST', '/v3/documents/batch?container_tag=a', { documents });
    expect([status, body.success]).toEqual([200, 1]);
  });

  test('in a form', async () => {
    const file = 'content-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nx';
    const form = `--x\r\n${file}\r\n--x\r\ncontent-disposition: form-data; name="container_tag"\r\n\r\na\r\n--x--\r\n`;
    const type = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await http.call('POST', '/v3/documents/file', form, type)).status).toBe(200);
  });

  test.each(['x', LARGE])('over NATS', async (content) => {
    const answer = await http.app.inject({
      method: 'POST',
      url: '/v3/documents?Status=stage',
      headers: { ...http.withKey, ...JSON_TYPE },
      remoteAddress: NATS_ADDRESS,
      payload: { content, container_tag: 'a' },
    });
    expect(answer.statusCode).toBe(200);
  });
});

/** The keys that public clients send, as they were observed: those that the routes know, and those that are ignored. */
describe('no key that a public client sends is taken for a slip', () => {
  test.each<[string, string, string]>([
    [
      'POST',
      '/v3/documents',
      'content containerTag containerTags customId metadata entityContext filepath taskType filterByMetadata dreaming title url raw',
    ],
    ['POST', '/v3/documents/batch', 'documents containerTags metadata content title url'],
    ['POST', '/v3/documents/list', 'containerTags containerTag filepath filters includeContent limit page order sort'],
    ['POST', '/v3/documents/documents', 'page limit sort order containerTags sources categories'],
    ['POST', '/v3/documents/documents/by-ids', 'ids by containerTags'],
    ['POST', '/v3/documents/documents/facets', 'containerTags'],
    ['PATCH', '/v3/documents/x', 'content containerTag containerTags customId metadata filepath taskType'],
    ['DELETE', '/v3/documents/bulk', 'ids containerTags filepath'],
    [
      'POST',
      '/v3/search',
      'q containerTags containerTag chunkThreshold documentThreshold docId filters onlyMatchingChunks includeFullDocs includeSummary rerank rewriteQuery categoriesFilter filepath limit',
    ],
    [
      'POST',
      '/v4/search',
      'q containerTag limit threshold searchMode rerank rewriteQuery aggregate filters filepath include',
    ],
    ['POST', '/v4/profile', 'containerTag q threshold filters include buckets limit'],
    ['POST', '/v4/conversations', 'conversationId messages containerTags metadata entityContext'],
    ['POST', '/v4/memories/list', 'containerTags containerTag page limit sort order'],
    ['PATCH', '/v4/memories', 'containerTag id content newContent metadata forgetAfter forgetReason temporalContext'],
    ['DELETE', '/v4/memories', 'containerTag id content reason'],
    ['POST', '/v3/projects', 'name emoji'],
    ['DELETE', '/v3/projects/x', 'action targetProjectId'],
    ['POST', '/v3/container-tags/merge', 'containerTags targetContainerTag'],
    ['PATCH', '/v3/settings', 'shouldLLMFilter filterPrompt includeItems excludeItems chunkSize'],
  ])('%s %s', async (method, url, keys) => {
    for (const key of keys.split(' ')) {
      const { text } = await http.call(method, url, { [key]: null });
      expect(text).not.toContain('Did you mean');
    }
  });
});

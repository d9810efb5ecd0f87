import type { AnsweredRequest } from '#ports/analytics';
import { useTestApp } from '../testing/use-test-app.ts';

/** As what requests are counted, by what each route declares. */

const recorded: AnsweredRequest[] = [];
const http = useTestApp({ analytics: { record: (request) => void recorded.push(request), recordTokens: () => {} } });
beforeEach(() => {
  recorded.length = 0;
});

test.each([
  ['POST', '/v3/documents', 'add'],
  ['POST', '/v3/documents/batch', 'add'],
  ['POST', '/v3/documents/file', 'add'],
  ['POST', '/v4/memories', 'add'],
  ['PATCH', '/v3/documents/x', 'update'],
  ['POST', '/v3/documents/x/retry', 'update'],
  ['PATCH', '/v4/memories', 'update'],
  ['POST', '/v4/memories/restore', 'update'],
  ['DELETE', '/v3/documents/x', 'delete'],
  ['DELETE', '/v3/documents/bulk', 'delete'],
  ['DELETE', '/v4/memories', 'delete'],
  ['POST', '/v4/memories/forget-matching', 'delete'],
  ['POST', '/v3/search', 'search'],
  ['POST', '/v4/search', 'search_v4'],
  ['POST', '/v4/context', 'search_v4'],
  ['POST', '/v4/profile', 'fast_search'],
  ['GET', '/v3/container-tags/x/profile', 'fast_search'],
  ['POST', '/v4/conversations', 'chat'],
  ['GET', '/v3/documents/x', 'request'],
  ['POST', '/v3/documents/list', 'request'],
  ['PATCH', '/v3/settings', 'request'],
])('%s %s is counted as %s', async (method, path, type) => {
  await http.call(method, path, method === 'GET' ? undefined : {});
  expect(recorded.map((request) => request.type)).toEqual([type]);
});

test.each([
  ['search_memory', 'search_v4'],
  ['recall', 'search_v4'],
  ['add_memory', 'add'],
  ['forget_memory', 'delete'],
  ['whoAmI', 'request'],
  ['nothing', 'request'],
])('a call of the tool %s is counted as %s', async (name, type) => {
  await http.call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });
  expect(recorded.map((request) => request.type)).toEqual([type]);
});

test('a refused request names the code of its error, and what it holds is of the route', async () => {
  await http.call('PATCH', '/v3/documents/secret', { metadata: 7 });
  expect(recorded).toEqual([
    expect.objectContaining({
      ...{ method: 'PATCH', route: '/v3/documents/:id', status: 400, code: 'invalid_metadata', bytesIn: 14 },
      ...{ organization: expect.any(String), keyId: 'k1', milliseconds: expect.any(Number) },
    }),
  ]);
  expect(JSON.stringify(recorded)).not.toContain('secret');
});

test('what belongs to no organization is not counted', async () => {
  await http.call('GET', '/v3/health');
  await http.call('GET', '/v3/session', undefined, { authorization: 'Bearer sm_unknown_0123456789abcdef' });
  await http.call('GET', '/nothing');
  expect(recorded).toEqual([]);
});

import { GetDocumentChunks, GetFileLink } from '#features/documents/use-cases';
import { asked, expectErrorBody } from '../testing/expectations.ts';
import { startTestApp, type TestApp } from '../testing/fake-application.ts';
import { ROW } from '../testing/fixtures.ts';
import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();

test('the chunks of a document', async () => {
  const location = { page: 3, heading: 'Fences' };
  http.fake.units = [{ id: 'c1', kind: 'chunk', ordinal: 0, text: 'a chunk', speaker: 'Ann', location }];
  const { status, body } = await http.call('GET', `/v3/documents/${encodeURIComponent('a/b')}/chunks`);
  expect(status).toBe(200);
  const createdAt = '2025-01-02T03:04:05.678Z';
  expect(body).toEqual({
    documentId: ROW.id,
    chunks: [{ id: 'c1', position: 0, content: 'a chunk', type: 'text', metadata: null, createdAt, location }],
    total: 1,
  });
  expect(asked(http, GetDocumentChunks).idOrCustomId).toBe('a/b');
});

test('the memories of a document are in its record', async () => {
  expect((await http.call('GET', '/v3/documents/x')).body).not.toHaveProperty('memories');
  http.fake.units = [{ id: 'm1', kind: 'memory', ordinal: 0, text: 'a memory', speaker: null }];
  expect((await http.call('GET', '/v3/documents/x')).body.memories).toEqual([
    {
      ...{ id: 'm1', memory: 'a memory', createdAt: '2025-01-02T03:04:05.678Z', updatedAt: '2025-01-02T03:04:06.001Z' },
      ...{ isLatest: true, isForgotten: false, isStatic: false, isInference: false, version: 1, sourceCount: 1 },
      ...{ metadata: null, parentMemoryId: null, rootMemoryId: 'm1' },
    },
  ]);
});

const fileUrl = async (app: TestApp, headers: Record<string, string> = {}) =>
  (await app.call('GET', '/v3/documents/x/file-url', undefined, headers)).body.url;

test.each<[Record<string, string>, string]>([
  [{ host: 'memory.local:6767' }, 'http://memory.local:6767'],
  [{ host: '[::1]:6767' }, 'http://[::1]:6767'],
  [{ host: 'inner', 'x-forwarded-proto': 'https' }, 'https://inner'],
  [
    { host: 'inner', 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'outer.example, inner' },
    'https://outer.example',
  ],
  [{ host: 'inner', 'x-forwarded-host': 'evil.example/path?' }, 'http://inner'],
  [{ host: 'inner', 'x-forwarded-proto': 'javascript' }, 'http://inner'],
])('the link to a file follows from the headers %j', async (headers, base) => {
  expect(await fileUrl(http, headers)).toBe(`${base}/v3/files/a.b_c-d`);
  expect(asked(http, GetFileLink).idOrCustomId).toBe('x');
});

test('a configured address is used in their place', async () => {
  const app = await startTestApp({ publicUrl: 'https://memory.example/base' });
  expect(await fileUrl(app, { 'x-forwarded-host': 'other' })).toBe('https://memory.example/base/v3/files/a.b_c-d');
  await app.app.close();
});

test('a document without a file has no link', async () => {
  http.fake.refusal = 'no_file';
  const answer = await http.call('GET', '/v3/documents/x/file-url');
  expect(answer.status).toBe(404);
  expectErrorBody(answer, 'not_found');
});

import { AddDocuments } from '#features/documents/use-cases';
import { asked, expectErrorBody } from '../testing/expectations.ts';
import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();

const send = (payload: object, headers = {}) => http.call('POST', '/v3/documents/batch', payload, headers);
const OK = (i: number) => ({ id: `new-${i}`, status: 'queued' });

/** Sends a batch and returns the documents that the application received. */
async function documentsOf(payload: object) {
  expect((await send(payload)).status).toBe(200);
  return asked(http, AddDocuments).documents;
}

test('passes the items in order, strings and objects, and answers each', async () => {
  const answer = await send(
    { documents: ['one', { content: 'two', customId: 'x', title: 1 }], content: null },
    { 'idempotency-key': 'once' },
  );
  expect(answer).toMatchObject({ status: 200, body: { results: [OK(0), OK(1)], success: 2, failed: 0 } });
  const command = asked(http, AddDocuments);
  expect(command.principal).toMatchObject({ organization: 'acme', keyId: 'k1' });
  expect(command).toMatchObject({ idempotencyKey: 'once' });
  const defaults = { tags: [], metadata: null, filepath: null, taskType: 'memory' };
  expect(command.documents).toEqual([
    { ...defaults, content: 'one', customId: null, documentDate: null },
    { ...defaults, content: 'two', customId: 'x', documentDate: null },
  ]);
});

test('shared fields hold for items without their own, and metadata is merged by key', async () => {
  const shared = {
    ...{ containerTag: 'a', containerTags: ['b'], metadata: { kind: 'chat', year: 1 }, taskType: 'superrag' },
    ...{ filepath: '/shared.md', documentDate: '2025-01-31' },
  };
  const own = {
    ...{ content: 'x', containerTags: 'c', metadata: { year: 2, more: true }, taskType: 'memory' },
    ...{ filepath: '/own.md', documentDate: '2024-01-31' },
  };
  const [first, second, third] = await documentsOf({
    ...shared,
    documents: ['x', own, { content: 'x', containerTag: null, metadata: null }],
  });
  expect(first).toEqual({
    ...{ content: 'x', customId: null, tags: ['a', 'b'], metadata: shared.metadata, taskType: 'superrag' },
    ...{ filepath: '/shared.md', documentDate: '2025-01-31' },
  });
  expect(second).toEqual({
    ...{ content: 'x', customId: null, tags: ['c'], metadata: { kind: 'chat', year: 2, more: true } },
    ...{ taskType: 'memory', filepath: '/own.md', documentDate: '2024-01-31' },
  });
  expect(third).toEqual(first);
});

test('the keys __proto__ and constructor of metadata are kept', async () => {
  const [document] = await documentsOf(
    JSON.parse('{"metadata": {"__proto__": "a"}, "documents": [{"content": "x", "metadata": {"constructor": "b"}}]}'),
  );
  expect(JSON.stringify(document?.metadata)).toBe('{"__proto__":"a","constructor":"b"}');
});

test('every second item bad: each gets its error, the others are added', async () => {
  const bad = [
    [{ content: ' ' }, 'content must not be blank', 'content'],
    [{}, 'content is required', 'content'],
    [7, 'An entry of documents must be an object or a string', 'documents'],
    [null, 'An entry of documents must be an object or a string', 'documents'],
    [['x'], 'An entry of documents must be an object or a string', 'documents'],
    ['', 'content must not be blank', 'content'],
    [{ content: 'x', customId: '' }, 'customId must not be empty', 'customId'],
    [{ content: 'x', metadata: { tags: [] } }, 'metadata.tags must be a string, number or boolean', 'metadata.tags'],
    [{ content: 'x', metadata: 'y' }, 'metadata must be an object', 'metadata'],
    [{ content: 'x', containerTags: ['a', 1] }, 'containerTags[1] must be a string', 'containerTags[1]'],
    [{ content: 'x', documentDate: '2025-02-31' }, /^documentDate must be a date/, 'documentDate'],
    [{ content: 'x', containerTag: 'locked' }, 'The key does not permit this', undefined],
  ] as const;
  const answer = await send({ metadata: { a: 1 }, documents: bad.flatMap(([item], i) => [item, `good ${i}`]) });
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ success: bad.length, failed: bad.length });
  for (const [i, [, error, details]] of bad.entries()) {
    const result = answer.body.results[2 * i];
    expect(result).toEqual({
      ...{ id: '', status: 'error', error: typeof error === 'string' ? error : expect.stringMatching(error) },
      ...(details !== undefined && { details }),
    });
    expect(answer.body.results[2 * i + 1]).toEqual({ id: expect.stringMatching(/^new-/), status: 'queued' });
  }
  expect(
    asked(http, AddDocuments).documents.flatMap(({ content }) => (content.startsWith('good') ? content : [])),
  ).toEqual(bad.map((_, i) => `good ${i}`));
});

test('all items bad is a success of the request', async () => {
  const answer = await send({ documents: ['', 1] });
  expect(answer).toMatchObject({ status: 200, body: { success: 0, failed: 2 } });
  expect(http.fake.asked).toEqual([]);
});

test.each([
  ['no documents', {}, 'documents'],
  ['documents null', { documents: null }, 'documents'],
  ['an object', { documents: { content: 'x' } }, 'documents'],
  ['an empty list', { documents: [] }, 'documents'],
  ['601 documents', { documents: new Array(601).fill('x') }, 'documents'],
  ['a wrong shared field', { documents: ['x'], taskType: 'other' }, 'taskType'],
  ['wrong shared metadata', { documents: ['x'], metadata: { a: null } }, 'metadata.a'],
])('%s: the request is refused', async (_, payload, field) => {
  const answer = await send(payload);
  expect(answer).toMatchObject({ status: 400, body: { details: field } });
  expect(http.fake.asked).toEqual([]);
});

test('600 documents are accepted', async () => {
  expect(await documentsOf({ documents: new Array(600).fill('x') })).toHaveLength(600);
});

test.each([
  ['backlog_full', 503, 'unavailable'],
  ['idempotency_key_reused', 409, 'conflict'],
])('%s refuses the whole request', async (refusal, status, code) => {
  http.fake.refusal = refusal;
  const answer = await send({ documents: ['x'] });
  expect(answer.status).toBe(status);
  expectErrorBody(answer, code);
});

import { UpdateDocument } from '#features/documents/use-cases';
import { asked, expectErrorBody } from '../testing/expectations.ts';
import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();
const patch = (payload?: object) => http.call('PATCH', '/v3/documents/a%2Fb', payload);

const UNCHANGED = {
  ...{ content: null, metadata: null, customId: null, tags: null },
  ...{ filepath: null, taskType: null, documentDate: null },
};

test('passes every field', async () => {
  const fields = { metadata: { a: 1 }, filepath: '/a', taskType: 'superrag', documentDate: '2025-01-31' };
  const tags = { containerTag: 'x', containerTags: ['y', 'x'] };
  expect(await patch({ ...fields, ...tags, content: ' a ', customId: 'c' })).toMatchObject({
    status: 200,
    body: { status: 'done' },
  });
  const command = asked(http, UpdateDocument);
  expect(command.idOrCustomId).toBe('a/b');
  expect(command.principal).toMatchObject({ organization: 'acme', keyId: 'k1' });
  expect(command.update).toEqual({ ...fields, tags: ['x', 'y'], content: ' a ', customId: 'c' });
});

test.each([
  ['a field that has no effect', { filterByMetadata: { a: 1 } }, {}],
  ['null for all others', { content: null, metadata: null, filepath: '/b' }, { filepath: '/b' }],
])('accepts %s', async (_, payload, changed) => {
  expect((await patch(payload)).status).toBe(200);
  expect(asked(http, UpdateDocument).update).toEqual({ ...UNCHANGED, ...changed });
});

test.each<[object | undefined, string]>([
  [undefined, 'body'],
  [{}, 'body'],
  [{ title: 'x' }, 'body'],
  [{ content: ' ' }, 'content'],
  [{ content: 1 }, 'content'],
  [{ customId: '' }, 'customId'],
  [{ containerTags: [] }, 'containerTags'],
  [{ metadata: { a: [] } }, 'metadata.a'],
  [{ taskType: 'other' }, 'taskType'],
  [{ documentDate: '2025-02-30' }, 'documentDate'],
])('%j is refused with the name of its field', async (payload, details) => {
  const answer = await patch(payload);
  expect(answer).toMatchObject({ status: 400, body: { details } });
  expect(http.fake.asked).toEqual([]);
});

test('a customId of another document is a conflict that no retry resolves', async () => {
  http.fake.refusal = 'custom_id_taken';
  const answer = await patch({ customId: 'taken' });
  expectErrorBody(answer, 'conflict');
  expect(answer.headers['x-should-retry']).toBe('false');
});

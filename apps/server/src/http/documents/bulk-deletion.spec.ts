import { DeleteDocuments } from '#features/documents/use-cases';
import { asked, expectErrorBody } from '../testing/expectations.ts';
import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();
const BULK = '/v3/documents/bulk';

describe('DELETE /v3/documents/bulk', () => {
  test.each([
    [{ ids: ['a', 'b'] }, { by: 'ids', ids: ['a', 'b'] }],
    [{ containerTags: ['a', 'b'] }, { by: 'tags', tags: ['a', 'b'] }],
    [
      { containerTag: 'a', containerTags: ['b', 'a'] },
      { by: 'tags', tags: ['a', 'b'] },
    ],
    [
      { containerTag: 'a', ids: null },
      { by: 'tags', tags: ['a'] },
    ],
    [{ filepath: '/a/' }, { by: 'filepath', filepath: '/a/' }],
  ])('%j selects %j', async (body, selection) => {
    expect((await http.call('DELETE', BULK, body)).status).toBe(200);
    expect(asked(http, DeleteDocuments).selection).toEqual(selection);
  });

  test.each([
    [{}, 'ids'],
    [{ ids: [] }, 'ids'],
    [{ ids: ['a'], filepath: '/a' }, 'ids'],
    [{ containerTag: 'a', filepath: '/a' }, 'ids'],
    [{ containerTags: [] }, 'containerTags'],
    [{ ids: ['a', 1] }, 'ids[1]'],
    [{ ids: 'a' }, 'ids'],
    [{ ids: Array.from({ length: 10_001 }, (_, i) => `${i}`) }, 'ids'],
    [{ filepath: '' }, 'filepath'],
  ])('%#: a body without exactly one selector is refused and names the field', async (body, details) => {
    const answer = await http.call('DELETE', BULK, body);
    expectErrorBody(answer, 'invalid_request');
    expect(answer.body.details).toBe(details);
  });

  test('an empty body is refused', async () => {
    expectErrorBody(await http.call('DELETE', BULK), 'invalid_request');
  });

  test('answers with the totals, and the tags of the request', async () => {
    http.fake.totals = { deletedCount: 3, errors: [] };
    expect((await http.call('DELETE', BULK, { containerTags: ['a'] })).body).toEqual({
      ...{ success: true, deletedCount: 3, containerTags: ['a'] },
    });
  });

  test('answers with an error for each id that names no document', async () => {
    http.fake.totals = { deletedCount: 0, errors: [{ id: 'x', error: 'not_found' }] };
    expect((await http.call('DELETE', BULK, { ids: ['x'] })).body).toEqual({
      ...{ success: false, deletedCount: 0, errors: [{ id: 'x', error: 'Document not found' }] },
    });
  });

  test('a key that may not write the tags gets 403', async () => {
    http.fake.refusal = 'forbidden';
    expectErrorBody(await http.call('DELETE', BULK, { containerTags: ['a'] }), 'forbidden');
  });
});

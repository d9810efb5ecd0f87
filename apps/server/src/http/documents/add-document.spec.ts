import { AddDocument } from '#features/documents/use-cases';
import { asked } from '../testing/expectations.ts';
import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();

const ADD = '/v3/documents';

describe('add', () => {
  const add = async (payload: object, headers = {}) => {
    const answer = await http.call('POST', ADD, { content: 'x', ...payload }, headers);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ id: 'new', status: 'queued' });
    return asked(http, AddDocument);
  };

  test('passes every field', async () => {
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
    expect(command.principal).toMatchObject({ organization: 'acme', keyId: 'k1' });
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

  test('has defaults, and ignores unknown fields', async () => {
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
      tags: [],
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
    [{ containerTags: [] }, []],
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

  test.each([
    ['metadata', '1e400', 'invalid_metadata'],
    ['metadata', '-1e999', 'invalid_metadata'],
    ['filterByMetadata', '1e400', 'invalid_request'],
    ['filterByMetadata', '[1,1e400]', 'invalid_request'],
  ])('%s with the number %s is refused', async (name, number, code) => {
    const body = `{"content":"x","${name}":{"a":${number}}}`;
    const answer = await http.call('POST', '/v3/documents', body, { 'content-type': 'application/json' });
    expect([answer.status, answer.body.details, answer.body.code]).toEqual([400, `${name}.a`, code]);
    expect(http.fake.asked).toEqual([]);
  });

  test.each(['🐝'.repeat(200), '🐝'.repeat(255), `${'x'.repeat(254)}🐝`])('a name of %s is accepted', async (name) => {
    const { document } = await add({ customId: name, containerTag: name });
    expect([document.customId, document.tags]).toEqual([name, [name]]);
  });

  test('metadata of 64 KiB with the keys __proto__ and constructor is kept', async () => {
    const metadata = JSON.parse(`{"__proto__":"a","constructor":"b","c":"${'x'.repeat(65_536 - 42)}"}`);
    expect(JSON.stringify(metadata).length).toBe(65_536);
    const command = await add({ metadata });
    expect(JSON.stringify(command.document.metadata) === JSON.stringify(metadata)).toBe(true);
  });
});

import { request as httpRequest } from 'node:http';
import { type Answer, Mneme, OWNER_KEY } from './support/mneme.ts';

/** Invalid and unusual input gives the contract's status and field name, never a 500 and never data of another tag. */

let mneme: Mneme;
beforeAll(async () => {
  mneme = await Mneme.start();
});
afterAll(() => mneme.stop());

interface Refusal {
  readonly status?: number;
  readonly code?: string;
  /** Expected in `details` or `message`. */
  readonly names?: string;
}

/** Checks the error body of the contract (§1.4). */
function expectRefusal(answer: Answer, { status = 400, code = 'invalid_request', names = '' }: Refusal): void {
  const { body, headers } = answer;
  expect({ status: answer.status, body }).toMatchObject({ status, body: { code } });
  expect(body).toMatchObject({ error: expect.any(String), message: expect.any(String) });
  expect(body.message).not.toBe('');
  expect(`${body.details ?? ''}\n${body.message}`).toContain(names);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('x-request-id')).toBeTruthy();
  expect(body.requestId).toBe(headers.get('x-request-id'));
  expect(JSON.stringify(body)).not.toMatch(/SQLITE|SELECT |node_modules|\.ts\b|\.js\b| {4}at /);
}

const post = (path: string, body: unknown, headers?: Record<string, string>) => mneme.post(path, body, headers);
const LONGEST = 255;
const MAX_BODY = 52_428_800;

describe('POST /v3/documents', () => {
  test.each<[string, object, Refusal]>([
    ['no content', {}, { names: 'content' }],
    ['content null', { content: null }, { names: 'content' }],
    ['content empty', { content: '' }, { names: 'content' }],
    ['content of whitespace', { content: ' \n\t\r ' }, { names: 'content' }],
    ['content of Unicode whitespace', { content: '\u00a0\u2003\u3000\ufeff\u2028' }, { names: 'content' }],
    ['content a number', { content: 7 }, { names: 'content' }],
    ['content an array', { content: ['x'] }, { names: 'content' }],
    ['content an object', { content: { text: 'x' } }, { names: 'content' }],
    ['content true', { content: true }, { names: 'content' }],
    ['metadata an array', { content: 'x', metadata: ['a'] }, { code: 'invalid_metadata', names: 'metadata' }],
    ['metadata a string', { content: 'x', metadata: 'a' }, { code: 'invalid_metadata', names: 'metadata' }],
    [
      'an array in metadata',
      { content: 'x', metadata: { tags: [1] } },
      { code: 'invalid_metadata', names: 'metadata.tags' },
    ],
    [
      'an object in metadata',
      { content: 'x', metadata: { a: 1, o: {} } },
      { code: 'invalid_metadata', names: 'metadata.o' },
    ],
    [
      'null in metadata',
      { content: 'x', metadata: { gone: null } },
      { code: 'invalid_metadata', names: 'metadata.gone' },
    ],
    [
      'too much metadata',
      { content: 'x', metadata: { m: 'm'.repeat(70_000) } },
      { code: 'invalid_metadata', names: 'metadata' },
    ],
    ['customId empty', { content: 'x', customId: '' }, { names: 'customId' }],
    ['customId too long', { content: 'x', customId: 'c'.repeat(LONGEST + 1) }, { names: 'customId' }],
    ['customId a number', { content: 'x', customId: 7 }, { names: 'customId' }],
    ['customId a lone surrogate', { content: 'x', customId: 'a\ud800' }, { names: 'customId' }],
    ['a tag empty', { content: 'x', containerTag: '' }, { names: 'containerTag' }],
    ['a tag too long', { content: 'x', containerTag: 't'.repeat(LONGEST + 1) }, { names: 'containerTag' }],
    [
      'a tag of 256 characters of two code units',
      { content: 'x', containerTag: '🙂'.repeat(256) },
      { names: 'containerTag' },
    ],
    ['a tag that is a number', { content: 'x', containerTag: 1 }, { names: 'containerTag' }],
    ['a tag that is an array', { content: 'x', containerTag: ['a'] }, { names: 'containerTag' }],
    ['a tag of a lone surrogate', { content: 'x', containerTag: '\udc00' }, { names: 'containerTag' }],
    ['an empty tag among tags', { content: 'x', containerTags: ['a', ''] }, { names: 'containerTags[1]' }],
    ['a number among tags', { content: 'x', containerTags: ['a', 2] }, { names: 'containerTags[1]' }],
    ['tags that are an object', { content: 'x', containerTags: { a: 1 } }, { names: 'containerTags' }],
    ['an unknown taskType', { content: 'x', taskType: 'both' }, { names: 'taskType' }],
    ['an unknown dreaming', { content: 'x', dreaming: 'later' }, { names: 'dreaming' }],
    ['a taskType that is true', { content: 'x', taskType: true }, { names: 'taskType' }],
    ['an entityContext too long', { content: 'x', entityContext: 'e'.repeat(1501) }, { names: 'entityContext' }],
    ['an impossible documentDate', { content: 'x', documentDate: '2024-02-30' }, { names: 'documentDate' }],
    ['a documentDate in words', { content: 'x', documentDate: 'yesterday' }, { names: 'documentDate' }],
    ['a filepath that is a number', { content: 'x', filepath: 3 }, { names: 'filepath' }],
    ['a nested filterByMetadata', { content: 'x', filterByMetadata: { a: { b: 1 } } }, { names: 'filterByMetadata.a' }],
  ])('rejects %s', async (_, body, refusal) => {
    expectRefusal(await post('/v3/documents', body), refusal);
  });

  test.each<[string, unknown, Refusal]>([
    ['an array', [], { names: 'body' }],
    ['a string', '"content"', { names: 'body' }],
    ['null', 'null', {}],
    ['an empty body', '', { names: 'content' }],
    ['a truncated object', '{"content": "x"', { names: 'body' }],
    ['JSON with a comment', '{/**/"content":"x"}', { names: 'body' }],
    ['plain text', 'hello', { names: 'body' }],
    ['two objects', '{"content":"x"}{"content":"y"}', { names: 'body' }],
  ])('rejects a body that is %s', async (_, body, refusal) => {
    expectRefusal(await post('/v3/documents', body), refusal);
  });

  test.each([
    ['deeply nested arrays', `{"content":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`],
    ['deeply nested objects', `{"content":"x","metadata":${'{"m":'.repeat(1_000_000)}1${'}'.repeat(1_000_000)}}`],
    ['very many values', `{"content":"x","ignored":[${'{},'.repeat(1_000_000)}{}]}`],
  ])('rejects a body of %s as too large', async (_, body) => {
    const answer = await post('/v3/documents', body);
    expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large']);
  });

  test.each(['application/xml', 'application/x-www-form-urlencoded', 'image/png'])(
    'rejects the content type %s',
    async (type) => {
      expectRefusal(await post('/v3/documents', '{"content":"x"}', { 'content-type': type }), {
        names: 'Content-Type',
      });
    },
  );

  test('rejects a multipart form', async () => {
    const form = new FormData();
    form.append('content', 'x');
    expectRefusal(await post('/v3/documents', form), { names: 'Content-Type' });
  });

  test('rejects a body one byte above the limit with 413 and reads one at the limit', async () => {
    const bodyOf = (bytes: number) => {
      const [head, tail] = ['{"content":" ","pad":"', '"}'];
      return head + 'p'.repeat(bytes - head.length - tail.length) + tail;
    };
    expectRefusal(await post('/v3/documents', bodyOf(MAX_BODY + 1)), { status: 413, code: 'payload_too_large' });
    expectRefusal(await post('/v3/documents', bodyOf(MAX_BODY)), { names: 'content' });
  });

  test('stores values at the limits unchanged', async () => {
    const containerTag = '極'.repeat(LONGEST);
    const customId = `%2F ${'ü'.repeat(LONGEST - 4)}`;
    const metadata = { '': 'empty key', 'a.b[0]': true, __proto__: 1, n: -1.5e-9, 'é "\'%_\\': '\u0000' };
    const id = await mneme.addAndWait('At the limits.', {
      containerTag,
      customId,
      metadata,
      unknown: [null],
      title: {},
    });
    const { body } = await mneme.get(`/v3/documents/${encodeURIComponent(customId)}`);
    expect(body).toMatchObject({ id, customId, containerTags: [containerTag], metadata });
    const found = await post('/v3/search', { q: 'limits', containerTag });
    expect(found.body).toMatchObject({ results: [{ documentId: id }] });
  });
});

describe('POST /v3/documents/file', () => {
  const file = new Blob(['A file.']);
  const formOf = (parts: readonly (readonly [string, string | Blob, string?])[]): FormData => {
    const form = new FormData();
    for (const [name, value, filename] of parts) {
      if (typeof value === 'string') form.append(name, value);
      else form.append(name, value, filename ?? 'a.txt');
    }
    return form;
  };

  test.each<[string, Parameters<typeof formOf>[0], Refusal]>([
    ['no file', [['containerTags', 'a']], { names: 'file' }],
    ['the file in another part', [['upload', file]], { names: 'file' }],
    ['the file as text', [['files', 'x']], { names: 'file' }],
    ['an empty file', [['file', new Blob([])]], { names: 'file' }],
    [
      'two files',
      [
        ['file', file],
        ['file', file],
      ],
      { names: 'file' },
    ],
    [
      'metadata that is not JSON',
      [
        ['file', file],
        ['metadata', '{a:1}'],
      ],
      { code: 'invalid_metadata', names: 'metadata' },
    ],
    [
      'metadata an array',
      [
        ['file', file],
        ['metadata', '[1]'],
      ],
      { code: 'invalid_metadata', names: 'metadata' },
    ],
    [
      'null in metadata',
      [
        ['file', file],
        ['metadata', '{"k":null}'],
      ],
      { code: 'invalid_metadata', names: 'metadata.k' },
    ],
    [
      'a tag too long',
      [
        ['file', file],
        ['containerTags', 't'.repeat(LONGEST + 1)],
      ],
      { names: 'containerTags' },
    ],
    [
      'an empty tag in JSON',
      [
        ['file', file],
        ['containerTags', '["a",""]'],
      ],
      { names: 'containerTags[1]' },
    ],
    [
      'customId too long',
      [
        ['file', file],
        ['customId', 'c'.repeat(LONGEST + 1)],
      ],
      { names: 'customId' },
    ],
    [
      'an unknown fileType',
      [
        ['file', file],
        ['fileType', 'hologram'],
      ],
      { names: 'fileType' },
    ],
    [
      'an image without mimeType',
      [
        ['file', file],
        ['fileType', 'image'],
      ],
      { names: 'mimeType' },
    ],
    [
      'an unknown taskType',
      [
        ['file', file],
        ['taskType', 'x'],
      ],
      { names: 'taskType' },
    ],
  ])('rejects %s', async (_, parts, refusal) => {
    expectRefusal(await post('/v3/documents/file', formOf(parts)), refusal);
  });

  const part = (name: string) => `Content-Disposition: form-data; name="${name}"; filename="a.txt"\r\n\r\nA file.\r\n`;
  test.each<[string, string, string, Refusal]>([
    ['no boundary', 'multipart/form-data', `--x\r\n${part('file')}--x--`, {}],
    ['no body', 'multipart/form-data; boundary=x', '', {}],
    ['a truncated form', 'multipart/form-data; boundary=x', `--x\r\n${part('file')}`, { names: 'multipart' }],
    ['a body that is not a form', 'multipart/form-data; boundary=x', 'not a form at all', {}],
    ['a truncated part header', 'multipart/form-data; boundary=x', '--x\r\nContent-Disp', {}],
    ['a JSON body', 'application/json', '{"file":"x"}', { names: 'Content-Type' }],
  ])('rejects %s', async (_, type, body, refusal) => {
    expectRefusal(await post('/v3/documents/file', body, { 'content-type': type }), refusal);
  });

  test('rejects a file one byte above the limit with 413', async () => {
    const form = formOf([['file', new Blob([Buffer.alloc(MAX_BODY + 1, 'a')])]]);
    expectRefusal(await post('/v3/documents/file', form), { status: 413, code: 'payload_too_large', names: 'file' });
  });
});

describe('searches, lists and profiles', () => {
  const DOCUMENTS = '/v3/search';
  const MEMORIES = '/v4/search';
  const LIST = '/v3/documents/list';
  const PROFILE = '/v4/profile';
  const BASE: Readonly<Record<string, object>> = {
    [DOCUMENTS]: { q: 'x' },
    [MEMORIES]: { q: 'x' },
    [LIST]: {},
    [PROFILE]: { containerTag: 'a', q: 'x' },
  };

  test.each<[string, string, object, string]>([
    ['no q', DOCUMENTS, { q: undefined }, 'q'],
    ['q empty', DOCUMENTS, { q: '' }, 'q'],
    ['q a number', MEMORIES, { q: 5 }, 'q'],
    ['q an array', MEMORIES, { q: ['x'] }, 'q'],
    ['q a number', PROFILE, { q: 5 }, 'q'],
    ['no tag', PROFILE, { containerTag: undefined }, 'containerTag'],
    ['an empty tag', PROFILE, { containerTag: '' }, 'containerTag'],
    ['an empty tag', DOCUMENTS, { containerTags: [''] }, 'containerTags[0]'],
    ['a tag too long', MEMORIES, { containerTags: ['t'.repeat(LONGEST + 1)] }, 'containerTags[0]'],
    ['a tag that is a lone surrogate', LIST, { containerTags: '\ud800' }, 'containerTags'],
    ['a null among tags', LIST, { containerTags: [null] }, 'containerTags[0]'],
    ...[DOCUMENTS, MEMORIES, PROFILE].flatMap((path) =>
      [0, 101, -1, 1.5, '10', true, [5]].map(
        (limit) => [`limit ${JSON.stringify(limit)}`, path, { limit }, 'limit'] as [string, string, object, string],
      ),
    ),
    ...[0, -1, 1.5, 'ten', '', '0', true].flatMap((value) =>
      ['limit', 'page'].map(
        (name) =>
          [`${name} ${JSON.stringify(value)}`, LIST, { [name]: value }, name] as [string, string, object, string],
      ),
    ),
    ...[-0.1, 1.1, '0.5', true, {}].flatMap((value): [string, string, object, string][] => [
      [`chunkThreshold ${JSON.stringify(value)}`, DOCUMENTS, { chunkThreshold: value }, 'chunkThreshold'],
      [`documentThreshold ${JSON.stringify(value)}`, DOCUMENTS, { documentThreshold: value }, 'documentThreshold'],
      [`threshold ${JSON.stringify(value)}`, MEMORIES, { threshold: value }, 'threshold'],
      [`threshold ${JSON.stringify(value)}`, PROFILE, { threshold: value }, 'threshold'],
    ]),
    ['a docId too long', DOCUMENTS, { docId: 'd'.repeat(LONGEST + 1) }, 'docId'],
    ['a docId that is a number', DOCUMENTS, { docId: 1 }, 'docId'],
    ['a flag that is a string', DOCUMENTS, { onlyMatchingChunks: 'true' }, 'onlyMatchingChunks'],
    ['a flag that is a number', DOCUMENTS, { includeFullDocs: 1 }, 'includeFullDocs'],
    ['an unknown searchMode', MEMORIES, { searchMode: 'all' }, 'searchMode'],
    ['an include that is an array', MEMORIES, { include: ['documents'] }, 'include'],
    ['a flag under include that is a string', MEMORIES, { include: { documents: 'yes' } }, 'include.documents'],
    ['relatives that are a string', MEMORIES, { include: { relatedMemories: 'yes' } }, 'include.relatedMemories'],
    ['chunks that are a number', MEMORIES, { include: { chunks: 1 } }, 'include.chunks'],
    ['an aggregate that is a string', MEMORIES, { aggregate: 'true' }, 'aggregate'],
    ['an aggregate that is a list', MEMORIES, { aggregate: [true] }, 'aggregate'],
    ['categories that are numbers', DOCUMENTS, { categoriesFilter: [1] }, 'categoriesFilter[0]'],
    ['a rerank that is a string', MEMORIES, { rerank: 'true' }, 'rerank'],
    ['an unknown section', PROFILE, { include: ['dynamic', 'everything'] }, 'include[1]'],
    ['an unknown sort', LIST, { sort: 'title' }, 'sort'],
    ['an unknown order', LIST, { order: 'DESC' }, 'order'],
    ['an unknown status', LIST, { status: 'finished' }, 'status'],
    ['an unknown status among others', LIST, { status: ['done', 'finished'] }, 'status[1]'],
    ['an includeContent that is a string', LIST, { includeContent: 'true' }, 'includeContent'],
    ['a filepath that is an object', LIST, { filepath: {} }, 'filepath'],
  ])('reject %s at %s', async (_, path, fields, names) => {
    expectRefusal(await post(path, { ...BASE[path], ...fields }), { names });
  });

  describe('an unusual question', () => {
    const tag = 'unusual questions';
    const dates = Array.from({ length: 30 }, (_, i) => `2024-04-${String(i + 1).padStart(2, '0')}`);
    beforeAll(async () => {
      await mneme.addAndWait('On 2024-04-17 the ferry was late. Привет, 東京タワー.', { containerTag: tag });
    });

    test.each<[string, string, boolean]>([
      ['of 100,000 characters', `Was the ferry late? ${'Or the train number '.repeat(5_000)}`.slice(0, 100_000), true],
      ['of 100,000 letters without a space', 'f'.repeat(100_000), false],
      ['of 100,000 letters that each stand for a phrase', `ferry ${'\ufdfa'.repeat(99_994)}`, true],
      ['of stop words only', 'what is the of and', false],
      ['of punctuation only', '?!.,;: -- "" *?', false],
      ['of white space only', ' \n\t\u3000', false],
      ['of emoji only', '😀👩‍👩‍👧🎂', false],
      ['of mixed scripts', 'hello привет 世界 東京 ไทย שלום', true],
      ['of 30 dates', dates.join(', '), true],
      ['of lone surrogates', '\ud800\udc00\ud800 ferry', true],
    ])('%s is answered', async (_, q, isFound) => {
      for (const [path, options] of [
        [DOCUMENTS, {}],
        [DOCUMENTS, { rewriteQuery: true }],
        [MEMORIES, { threshold: 0 }],
        [MEMORIES, { threshold: 0, rewriteQuery: true, rerank: true }],
        [PROFILE, { threshold: 0 }],
      ] as const) {
        const answer = await post(path, { q, containerTag: tag, ...options });
        expect(answer.status).toBe(200);
        const { results } = (path === PROFILE ? answer.body.searchResults : answer.body) as { results: unknown[] };
        expect(results.length > 0).toBe(isFound);
      }
    });
  });

  const leaf = { key: 'k', value: 'v' };
  const nested = (levels: number): object => (levels === 0 ? leaf : { AND: [nested(levels - 1)] });
  const INVALID_FILTERS: readonly (readonly [string, unknown, string])[] = [
    ['F1: a bare condition', leaf, 'filters'],
    ['F1: a plain map', { status: 'draft' }, 'filters'],
    ['F1: an empty object', {}, 'filters'],
    ['F1: both keys', { AND: [leaf], OR: [leaf] }, 'filters'],
    ['F1: AND next to another key', { AND: [leaf], key: 'k' }, 'filters'],
    ['F1: no condition', { AND: [] }, 'filters.AND'],
    ['F1: a condition instead of a list', { OR: leaf }, 'filters.OR'],
    ['F1: an array', [leaf], 'filters'],
    ['F1: a number', 5, 'filters'],
    ['F1: text that is not JSON', 'AND(k=v)', 'filters'],
    ['F1: text of a bare condition', JSON.stringify(leaf), 'filters'],
    ['F1: a string as condition', { AND: ['k=v'] }, 'filters.AND[0]'],
    ['F1: null as condition', { AND: [null] }, 'filters.AND[0]'],
    ['F2: nine levels', nested(9), 'filters.AND[0]'],
    ['F2: 201 conditions', { OR: Array.from({ length: 201 }, () => leaf) }, 'filters.OR[200]'],
    ['F2: 100,000 levels', '{"AND":['.repeat(100_000) + ']}'.repeat(100_000), 'filters'],
    ['F3: negate with an unknown value', { AND: [{ ...leaf, negate: 'yes' }] }, 'filters.AND[0].negate'],
    ['F3: ignoreCase a number', { AND: [{ ...leaf, ignoreCase: 1 }] }, 'filters.AND[0].ignoreCase'],
    ['F4: no key', { AND: [{ value: 'v' }] }, 'filters.AND[0]'],
    ['F4: an empty key', { AND: [{ key: '', value: 'v' }] }, 'filters.AND[0].key'],
    ['F4: a key too long', { AND: [{ key: 'k'.repeat(256), value: 'v' }] }, 'filters.AND[0].key'],
    ['F4: a key that is a number', { AND: [{ key: 1, value: 'v' }] }, 'filters.AND[0].key'],
    ['no value', { AND: [{ key: 'k' }] }, 'filters.AND[0].value'],
    ['an object as value', { AND: [{ key: 'k', value: { $ne: 1 } }] }, 'filters.AND[0].value'],
    ['null as value', { AND: [{ key: 'k', value: null }] }, 'filters.AND[0].value'],
    ['F5: an unknown filterType', { AND: [{ ...leaf, filterType: 'regex' }] }, 'filters.AND[0].filterType'],
    ['F5: an unknown operator', { AND: [{ ...leaf, numericOperator: '!=' }] }, 'filters.AND[0].numericOperator'],
    ['F5: text with an operator', { AND: [{ ...leaf, numericOperator: '>' }] }, 'filters.AND[0].value'],
    ['F5: text as numeric', { AND: [leaf, { ...leaf, filterType: 'numeric' }] }, 'filters.AND[1].value'],
    ['F5: infinity as numeric', { AND: [{ key: 'k', value: '1e999', filterType: 'numeric' }] }, 'filters.AND[0].value'],
  ];
  test.each(INVALID_FILTERS)('reject the invalid filter %s on every path', async (_, filters, names) => {
    for (const path of Object.keys(BASE)) {
      const answer = await post(path, { ...BASE[path], filters });
      expectRefusal(answer, { code: 'invalid_filter', names });
      expect(answer.body.message).toContain(names);
    }
  });

  test('accept a filter at the limits on every path', async () => {
    for (const filters of [
      nested(8),
      { OR: Array.from({ length: 200 }, () => leaf) },
      JSON.stringify({ AND: [{ ...leaf, negate: 'false', ignoreCase: 'true' }] }),
      { AND: [{ key: 'k'.repeat(255), value: 5, numericOperator: '<=' }] },
      { AND: [{ metadata: { k: 'v', n: 1 } }] },
    ]) {
      for (const path of Object.keys(BASE)) expect((await post(path, { ...BASE[path], filters })).status).toBe(200);
    }
  });

  test('lists accept a page beyond the end and cap a high limit', async () => {
    const far = await post(LIST, { page: '1000000000000', limit: '7', containerTags: [] });
    expect(far).toMatchObject({ status: 200, body: { memories: [], pagination: { currentPage: 1e12, limit: 7 } } });
    const much = await post(LIST, { limit: 1_101 });
    expect(much).toMatchObject({ status: 200, body: { pagination: { limit: 1100, currentPage: 1 } } });
  });

  test('reject an unknown vocabulary of the status', async () => {
    expectRefusal(await mneme.get('/v3/documents/processing?status=banana'), { names: 'status' });
    expectRefusal(await post(LIST, {}, { 'x-sm-status': 'banana' }), { names: 'x-sm-status' });
    expectRefusal(await post('/v3/documents?status=banana', { content: 'x' }), { names: 'status' });
  });

  test.each([
    ['/v3/search?explain=maybe', 'explain'],
    ['/v4/search?explain=1', 'explain'],
  ])('reject POST %s', async (path, names) => {
    expectRefusal(await post(path, { q: 'x' }), { names });
  });

  test.each([
    ['/v3/events?after=elsewhere:1', 'after'],
    ['/v3/events?after=1', 'after'],
    ['/v3/events?types=Document*', 'types'],
    ['/v3/events?containerTag=', 'containerTag'],
    [`/v3/events?containerTag=${'t'.repeat(256)}`, 'containerTag'],
    ['/v3/events?containerTag=a&containerTag=b', 'containerTag'],
    [`/v3/documents/processing?containerTags=${'t'.repeat(256)}`, 'containerTags'],
  ])('reject GET %s', async (path, names) => {
    expectRefusal(await mneme.get(path), { names });
  });
});

describe('unknown resources', () => {
  const UNKNOWN_ID = 'Zz09'.repeat(5).concat('Qq');

  test.each(['GET', 'DELETE'])('%s of an unknown id is 404', async (method) => {
    for (const id of [
      UNKNOWN_ID,
      'custom',
      'a/b',
      '%',
      "' OR '1'='1",
      '\u0000',
      'x'.repeat(LONGEST),
      'x'.repeat(1_000),
      '..%2f',
    ]) {
      const answer = await mneme.request(method, `/v3/documents/${encodeURIComponent(id)}`);
      expectRefusal(answer, { status: 404, code: 'not_found' });
    }
  });

  test('a search in an unknown document is 404', async () => {
    for (const docId of [UNKNOWN_ID, 'custom', '*', '%', "' OR '1'='1"]) {
      for (const q of ['x', '*']) {
        expectRefusal(await post('/v3/search', { q, docId }), { status: 404, code: 'not_found' });
      }
    }
  });

  test.each([
    ['PUT', '/v3/documents'],
    ['GET', '/v3/documents'],
    ['DELETE', '/v3/documents'],
    ['PUT', '/v3/documents/some-id'],
    ['POST', '/v3/documents/some-id'],
    ['GET', '/v3/search'],
    ['GET', '/v4/search'],
    ['DELETE', '/v4/profile'],
    ['POST', '/v3/health'],
    ['GET', '/v3'],
    ['GET', '/v9/documents'],
    ['POST', '/v3/documents/list/more'],
    ['GET', '/v3/memorable'],
    ['GET', '/%00'],
    ['GET', '/v3/documents/a/b/c'],
    ['PATCH', '/'],
    // A literal path segment matches only methods that it declares; for other methods it is an id.
    ['GET', '/v3/documents/list'],
    ['GET', '/v3/documents/file'],
    ['DELETE', '/v3/documents/processing'],
  ])('%s %s is 404', async (method, path) => {
    const body = ['GET', 'DELETE'].includes(method) ? undefined : {};
    expectRefusal(await mneme.request(method, path, body), { status: 404, code: 'not_found' });
  });

  test('a malformed percent-encoding is 400', async () => {
    for (const path of ['/v3/documents/%', '/v3/documents/%zz', '/v3/documents/%C3%28']) {
      expectRefusal(await raw('GET', path), { names: 'path' });
    }
  });
});

describe('without a valid key', () => {
  test.each([
    ['no key', ''],
    ['a key without scheme', OWNER_KEY],
    ['another scheme', `Basic ${OWNER_KEY}`],
    ['an empty key', 'Bearer '],
    ['two keys', `Bearer ${OWNER_KEY} ${OWNER_KEY}`],
    ['one additional letter', `Bearer ${OWNER_KEY}x`],
    ['another case', `Bearer ${OWNER_KEY.toUpperCase()}`],
    ['SQL as key', "Bearer '/**/OR/**/1=1--"],
  ])('%s gives 401 before the body is read', async (_, authorization) => {
    for (const [method, path] of [
      ['POST', '/v3/documents'],
      ['POST', '/v3/documents/file'],
      ['POST', '/v3/documents/list'],
      ['GET', '/v3/documents/processing'],
      ['GET', '/v3/documents/x'],
      ['DELETE', '/v3/documents/x'],
      ['POST', '/v3/search'],
      ['POST', '/v4/search'],
      ['POST', '/v4/profile'],
      ['POST', '/v4/context'],
      ['GET', '/v3/events'],
      ['GET', '/v3/session'],
    ] as const) {
      const body = method === 'POST' ? '{broken' : undefined;
      const answer = await mneme.request(method, path, body, { authorization });
      expectRefusal(answer, { status: 401, code: 'unauthorized' });
    }
  });
});

describe('unneeded bodies', () => {
  test.each(['{}', '{"ids":["x"]}', ''])('DELETE with %j works', async (body) => {
    const id = await mneme.add('To be deleted with a body.', { containerTag: 'bodies' });
    expect((await raw('DELETE', `/v3/documents/${id}`, body)).status).toBe(204);
    expectRefusal(await raw('DELETE', `/v3/documents/${id}`, body), { status: 404, code: 'not_found' });
  });

  test.each(['{"a":1}', '', '{broken'])('GET with %j works', async (body) => {
    expect((await raw('GET', '/v3/session', body)).status).toBe(200);
    expectRefusal(await raw('GET', '/v3/documents/nobody', body), { status: 404, code: 'not_found' });
  });

  test('a POST without body and type is read as an empty object', async () => {
    const answer = await mneme.request('POST', '/v3/documents/list', undefined, {});
    expect(answer).toMatchObject({ status: 200, body: { memories: expect.any(Array) } });
    expectRefusal(await mneme.request('POST', '/v3/search'), { names: 'q' });
  });
});

/** Sends a request with node:http: `fetch` sends no body with GET and normalizes paths. */
function raw(method: string, path: string, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${OWNER_KEY}`, 'content-type': 'application/json' };
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const request = httpRequest(
      new URL(mneme.url),
      { method, path, headers: { ...headers, ...length } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        response.on('end', () =>
          resolve({
            status: response.statusCode as number,
            headers: new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
            body: text === '' ? {} : JSON.parse(text),
          }),
        );
      },
    );
    request.on('error', reject).end(body);
  });
}

describe('unusual strings have no special meaning', () => {
  const ODD = [
    '%',
    '_',
    '%_%',
    '*',
    '**',
    '?',
    '"',
    '"a" "b',
    "'",
    "' OR 1=1 --",
    "'); DROP TABLE documents; --",
    '" OR ""="',
    'x UNION SELECT payload FROM events',
    'a AND b OR NOT c NEAR(d, 3)',
    'title:x^2 -y +z ~1',
    'col*',
    '(((',
    '[a-z]+.*$',
    '\\',
    '\\%\\_',
    '\\u0000',
    'nul\u0000in it',
    '\r\nX-Evil: 1',
    '../../etc/passwd',
    'a%2Fb',
    'a/b',
    'A/B',
    ' a/b ',
    '{"$ne": null}',
    '["a","b"]x',
    '#{7*7} {{7*7}}',
    '<script>alert(1)</script>',
    '\u202eright to left',
    'é',
    'e\u0301',
    '🙂 👩‍👩‍👧‍👦',
    '数据库 データ',
    '__proto__',
    'constructor',
    'null',
    'true',
    '1e3',
    'a,b',
    'العربية فارسی עברית',
    'ไทย ខ្មែរ বাংলা తెలుగు',
    'Ελληνικά Кириллица ქართული Հայերեն',
    '𓀀 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈',
    '🐝'.repeat(120),
    '字'.repeat(LONGEST),
  ];
  /** Lone surrogates: names reject them, values accept them. */
  const HALVES = ['\ud83d', 'half \udc00 pair'];
  const markOf = (i: number) => `kelpie${i}mark`;
  let ids: string[];
  let halves: string[];

  beforeAll(async () => {
    ids = await Promise.all(
      ODD.map((odd, i) =>
        mneme.addAndWait(`The word is ${markOf(i)} kelpie and then ${odd}`, {
          containerTag: odd,
          customId: odd,
          filepath: `/odd/${odd}`,
          metadata: Object.fromEntries([
            ['odd', odd],
            ['k', 'same'],
            [odd, 'as key'],
          ]),
        }),
      ),
    );
    halves = await Promise.all(
      HALVES.map((half) =>
        mneme.addAndWait(`The word is halfmark kelpie and then ${half}`, {
          containerTag: 'halves',
          metadata: { odd: half, [half]: 'as key' },
        }),
      ),
    );
  });

  const listed = async (query: object): Promise<unknown[]> => {
    const { status, body } = await post('/v3/documents/list', { limit: 1000, ...query });
    expect({ status, body }).toMatchObject({ status: 200 });
    return (body.memories as { id: string }[]).map(({ id }) => id);
  };
  const matching = (condition: object) => listed({ filters: { AND: [condition] } });

  /** Checks that a response has content of one document only. */
  const expectOnly = (answer: Answer, i: number): void => {
    expect(answer.status).toBe(200);
    const marks = JSON.stringify(answer.body).match(/kelpie\d+mark|halfmark/g) ?? [];
    expect([...new Set(marks)].filter((mark) => mark !== markOf(i))).toEqual([]);
  };

  test('as tags', async () => {
    for (const [i, odd] of ODD.entries()) {
      expect(await listed({ containerTags: [odd] })).toEqual([ids[i]]);
      const found = await post('/v3/search', { q: 'kelpie', containerTags: [odd] });
      expect(found.body).toMatchObject({ results: [{ documentId: ids[i] }] });
      for (const searchMode of ['memories', 'documents', 'hybrid']) {
        const memories = await post('/v4/search', { q: 'kelpie', containerTag: odd, threshold: 0, searchMode });
        expect(memories.body.total).toBeGreaterThan(0);
        expectOnly(memories, i);
      }
      const profile = await post('/v4/profile', { containerTag: odd, q: odd, threshold: 0 });
      expect((profile.body.profile as { dynamic: string[] }).dynamic.length).toBeGreaterThan(0);
      expectOnly(profile, i);
    }
  });

  test('as custom ids', async () => {
    for (const [i, odd] of ODD.entries()) {
      if (['.', '..'].includes(odd)) continue;
      const { body } = await mneme.get(`/v3/documents/${encodeURIComponent(odd)}`);
      expect(body).toMatchObject({ id: ids[i], customId: odd, containerTags: [odd], filepath: `/odd/${odd}` });
      expect(await listed({ customId: odd })).toEqual([ids[i]]);
      const inside = await post('/v3/search', { q: 'kelpie', docId: odd });
      expect(inside.body).toMatchObject({ results: [{ documentId: ids[i] }] });
      expectOnly(inside, i);
    }
    const again = await post('/v3/documents', { content: `The word is ${markOf(0)} kelpie and then %`, customId: '%' });
    expect(again.body).toEqual({ id: ids[0], status: 'done' });
  });

  test('as paths', async () => {
    for (const [i, odd] of ODD.entries()) {
      if (odd.endsWith('/')) continue;
      expect(await listed({ filepath: `/odd/${odd}` })).toEqual([ids[i]]);
      const found = await post('/v3/search', { q: 'kelpie', filepath: `/odd/${odd}`, limit: 100 });
      expect(found.body).toMatchObject({ results: [{ documentId: ids[i] }] });
    }
    expect(new Set(await listed({ filepath: '/odd/' }))).toEqual(new Set(ids));
    expect(await listed({ filepath: '/odd/%/' })).toEqual([]);
  });

  test('as values and keys of metadata, and in filters', async () => {
    for (const [i, odd] of [...ODD, ...HALVES].entries()) {
      const id = [...ids, ...halves][i];
      expect(await matching({ key: 'odd', value: odd })).toEqual([id]);
      expect(await matching({ key: odd, value: 'as key' })).toEqual([id]);
      expect(await matching({ key: `${odd.slice(0, 200)}' OR 1=1 --`, value: 'as key' })).toEqual([]);
      const others = await matching({ key: 'odd', value: odd, negate: true });
      expect(others).not.toContain(id);
      expect(others.length).toBeGreaterThanOrEqual(ODD.length + HALVES.length - 1);
      expect(await matching({ key: 'odd', value: odd, filterType: 'array_contains' })).toContain(id);
      // Lone surrogates have no UTF-8 form, so filters compare all of them as U+FFFD.
      const holding = [...ODD, ...HALVES].flatMap((one, j) =>
        one.toWellFormed().includes(odd.toWellFormed()) ? [[...ids, ...halves][j]] : [],
      );
      const contained = await matching({ key: 'odd', value: odd, filterType: 'string_contains' });
      expect(new Set(contained)).toEqual(new Set(holding));
    }
  });

  test('as queries', async () => {
    for (const [i, odd] of [...ODD, ...HALVES].entries()) {
      const containerTag = i < ODD.length ? odd : 'halves';
      for (const q of [odd, `${odd} kelpie`, `"${odd}"`]) {
        const answers = await Promise.all([
          post('/v3/search', { q, containerTags: [containerTag], includeFullDocs: true, onlyMatchingChunks: false }),
          ...['memories', 'documents', 'hybrid'].map((searchMode) =>
            post('/v4/search', { q, containerTag, threshold: 0, searchMode, include: { documents: true } }),
          ),
          post('/v4/profile', { q, containerTag, threshold: 0 }),
        ]);
        for (const answer of answers) {
          if (i < ODD.length) expectOnly(answer, i);
          else expect(answer.status).toBe(200);
        }
        const { status } = await post('/v4/search', { q, threshold: 0 });
        expect(status).toBe(200);
      }
    }
    const long = await post('/v4/search', { q: 'kelpie "( * ) % '.repeat(5_000), containerTag: '%' });
    expect(long.status).toBe(200);
  });

  test('as tags in a URL', async () => {
    for (const odd of ODD) {
      const { status, body } = await mneme.get(`/v3/documents/processing?containerTags=${encodeURIComponent(odd)}`);
      expect({ status, body }).toEqual({ status: 200, body: { documents: [], totalCount: 0 } });
    }
  });
});

describe('documents of one tag are invisible under another', () => {
  const WORDS = 'The ferry to Hven leaves at noon from the old pier.';
  const OWN = 'ownmark';
  const FOREIGN = 'foreignmark';
  let own: string[];
  let foreign: string[];

  const fill = (tag: string, mark: string) =>
    Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        mneme.addAndWait(
          `# Ferry ${mark}\n\n${WORDS} ${mark}${i}.\n\n${mark}: I like the ferry.\nBo: So do I, ${mark}.`,
          {
            containerTags: [tag, ...(i % 3 === 0 ? [`${tag} more`] : [])],
            customId: `walk-${mark}-${i}`,
            filepath: `/${tag}/${i}.md`,
            metadata: { mark, shared: 'yes', n: i },
          },
        ),
      ),
    );

  beforeAll(async () => {
    [own, foreign] = await Promise.all([fill('walk', OWN), fill('walk 2', FOREIGN)]);
  });

  const FILTERS: readonly (object | undefined)[] = [
    undefined,
    { AND: [{ key: 'shared', value: 'yes' }] },
    {
      OR: [
        { key: 'mark', value: FOREIGN },
        { key: 'mark', value: FOREIGN, negate: true },
      ],
    },
    { AND: [{ key: 'absent', value: 'x', negate: true }] },
    { AND: [{ key: 'n', value: '-1', filterType: 'numeric', numericOperator: '>' }] },
    { OR: [{ key: 'mark', value: '', filterType: 'string_contains' }] },
  ];
  const SCOPES = [{ containerTag: 'walk' }, { containerTags: ['walk'] }, { containerTags: ['walk', 'walk more'] }];
  const QUESTIONS = ['ferry to Hven', '*', FOREIGN, `${FOREIGN}3 I like the ferry`, 'zzz'];

  const expectOwn = ({ status, body }: Answer, some: boolean): void => {
    expect(status).toBe(200);
    const text = JSON.stringify(body);
    expect(text).not.toContain(FOREIGN);
    expect(text).not.toContain('walk 2');
    expect(foreign.filter((id) => text.includes(id))).toEqual([]);
    if (some) expect(text).toContain(OWN);
  };

  test('in lists', async () => {
    for (const scope of SCOPES) {
      for (const filters of FILTERS) {
        const page = { ...scope, filters, includeContent: true, limit: 1000 };
        expectOwn(await post('/v3/documents/list', page), true);
        expectOwn(await post('/v3/documents/list', { ...page, status: 'done', sort: 'updatedAt', order: 'asc' }), true);
        expectOwn(await post('/v3/documents/list', { ...page, filepath: '/walk 2/' }), false);
        expectOwn(await post('/v3/documents/list', { ...page, customId: `walk-${FOREIGN}-1` }), false);
      }
    }
  });

  test('in the list of unfinished documents', async () => {
    const added = Promise.all(
      Array.from({ length: 40 }, () => mneme.add(`${WORDS} ${FOREIGN}`, { containerTag: 'walk 2' })),
    );
    for (const query of ['containerTags=walk', 'containerTag=walk', 'containerTags=walk,walk%20more']) {
      expectOwn(await mneme.get(`/v3/documents/processing?${query}`), false);
    }
    for (const id of await added) expect((await mneme.settled(id)).status).toBe('done');
  });

  test('in document searches', async () => {
    for (const scope of SCOPES) {
      for (const q of QUESTIONS) {
        for (const filters of FILTERS) {
          const query = { q, ...scope, filters, limit: 100, includeFullDocs: true, includeSummary: true };
          const some = q === '*' || q.includes('ferry');
          expectOwn(await post('/v3/search', query), some);
          expectOwn(await post('/v3/search?explain=true', { ...query, onlyMatchingChunks: false }), some);
          expectOwn(await post('/v3/search', { ...query, docId: own[0] }), some);
          expectOwn(await post('/v3/search', { ...query, filepath: '/walk 2/' }), false);
        }
      }
      for (const docId of [foreign[0], `walk-${FOREIGN}-1`]) {
        for (const q of QUESTIONS) {
          expectRefusal(await post('/v3/search', { q, ...scope, docId }), { status: 404, code: 'not_found' });
        }
      }
    }
  });

  test('in a search of one document, with filters and paths', async () => {
    for (const q of ['ferry', '*']) {
      const inside = { q, docId: own[0], containerTag: 'walk' };
      expect((await post('/v3/search', inside)).body.total).toBe(1);
      const filters = { AND: [{ key: 'n', value: '0', negate: true }] };
      expect((await post('/v3/search', { ...inside, filters })).body.results).toEqual([]);
      expect((await post('/v3/search', { ...inside, filepath: '/elsewhere/' })).body.results).toEqual([]);
    }
  });

  test('in memory searches', async () => {
    for (const scope of SCOPES) {
      for (const q of QUESTIONS) {
        for (const searchMode of ['memories', 'documents', 'hybrid']) {
          const include = {
            documents: true,
            summaries: true,
            relatedMemories: true,
            chunks: true,
            forgottenMemories: true,
          };
          for (const filters of FILTERS) {
            const query = { q, ...scope, filters, searchMode, threshold: 0, limit: 100, include };
            expectOwn(await post('/v4/search', query), q === '*' || q.includes('ferry'));
          }
        }
      }
    }
  });

  test('in profiles', async () => {
    for (const q of [undefined, ...QUESTIONS]) {
      for (const filters of FILTERS) {
        expectOwn(await post('/v4/profile', { containerTag: 'walk', q, filters, threshold: 0, limit: 100 }), true);
      }
    }
  });

  test('in the event feed', async () => {
    const stop = new AbortController();
    const read = async (query: string, enough: (text: string) => boolean) => {
      const response = await fetch(`${mneme.url}/v3/events${query}`, {
        headers: { authorization: `Bearer ${OWNER_KEY}` },
        signal: stop.signal,
      });
      let text = '';
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
        text += part;
        if (enough(text)) return text;
        // The feed starts with a comment when the subscription is active.
        if (text === ':\n\n') void mneme.add('Something happens.', { containerTag: 'walk 3' });
      }
      throw new Error('the event feed ended');
    };
    try {
      const live = await read('', (text) => /^id: \S+:\d+-\S+\n/m.test(text));
      const storeId = /^id: (\S+):\d+-\S+\n/m.exec(live)?.[1];
      const events = await read(`?after=${storeId}:0&containerTag=walk`, (text) =>
        own.every((id) => new RegExp(`event: DocumentIndexed\ndata: [^\n]*${id}`).test(text)),
      );
      expect(foreign.filter((id) => events.includes(id))).toEqual([]);
      expect(events).not.toMatch(/walk 2|walk 3|foreignmark|ownmark|ferry/);
    } finally {
      stop.abort();
    }
  });

  test('in a single document', async () => {
    for (const name of [own[0] as string, `walk-${OWN}-0`]) expectOwn(await mneme.get(`/v3/documents/${name}`), true);
  });
});

test('the event feed refuses unknown types and positions behind the end of the log', async () => {
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${OWNER_KEY}` };
  const feed = await fetch(`${mneme.url}/v3/events?types=DocumentAdded`, { headers, signal: stop.signal });
  let text = '';
  for await (const piece of feed.body!.pipeThrough(new TextDecoderStream())) {
    // The feed starts with a comment when the subscription is active.
    if (text === '') await mneme.add('Something happens.');
    text += piece;
    if (/^id: .+\n/m.test(text)) break;
  }
  stop.abort();
  const [, store, position, id] = /^id: (.+):(\d+)-(\S+)\n/m.exec(text) ?? [];
  const ask = (query: string) => mneme.get(`/v3/events?${query}`);
  expect(await ask('types=DocumentAdded,Nothing')).toMatchObject({ status: 400, body: { details: 'types' } });
  for (const behind of [`${position}`, `${Number(position) + 1_000_000}-${id}`, `99999999999999999999-${id}`]) {
    expect(await ask(`after=${store}:${behind}`)).toMatchObject({ status: 400, body: { details: 'after' } });
  }
});

import { GetContext, SearchDocuments, SearchMemories } from '#features/search/use-cases';
import { asked } from '../testing/expectations.ts';
import { found, ROW } from '../testing/fixtures.ts';
import { useTestApp } from '../testing/use-test-app.ts';

const http = useTestApp();

const CONDITION = { key: 'kind', value: 'chat' };
const V3 = '/v3/search';
const V4 = '/v4/search';
const PROFILE = '/v4/profile';
const CONTEXT = '/v4/context';

describe('search', () => {
  test('a document search has the defaults of the contract', async () => {
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
          chunks: [
            {
              ...{ content: 'a chunk', isRelevant: true, score: 0.8, position: 3 },
              location: { sheet: 'Staff', row: 12 },
            },
          ],
          metadata: ROW.metadata,
          createdAt: '2025-01-02T03:04:05.678Z',
          updatedAt: '2025-01-02T03:04:06.001Z',
        },
      ],
      timing: expect.any(Number),
      total: 1,
    });
    expect(asked(http, SearchDocuments)).toMatchObject({ principal: { organization: 'acme' }, tags: [] });
    expect(asked(http, SearchDocuments).options).toEqual({
      question: '*',
      filter: null,
      filepath: null,
      limit: 10,
      rewriteQuery: false,
      rerank: false,
      asOf: null,
      chunkThreshold: 0,
      documentThreshold: 0,
      document: null,
      onlyMatchingChunks: true,
      includeFullDocs: false,
    });
  });

  test('a document search passes every option', async () => {
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
      asOf: '2025-01-01',
      unknown: 1,
    });
    expect(body.results[0]).toMatchObject({ content: 'hello', summary: 'Summary' });
    expect(body.results[0].chunks[0].explain).toEqual({ cosine: 0.9, cosineWide: 0.8, coverage: 0.5, ranking: null });
    expect(asked(http, SearchDocuments).tags).toEqual(['a', 'b']);
    expect(asked(http, SearchDocuments).options).toEqual({
      question: '"a" OR b* \ud800',
      filter: expect.anything(),
      filepath: '/a/',
      limit: 100,
      rewriteQuery: true,
      rerank: true,
      asOf: Date.UTC(2025, 0, 1),
      chunkThreshold: 1,
      documentThreshold: 0.5,
      document: 'conv-1',
      onlyMatchingChunks: false,
      includeFullDocs: true,
    });
  });

  const LOCATION = { page: 7, heading: 'Prices' };
  const FOUND = {
    similarity: 0.7,
    title: 'Title',
    metadata: ROW.metadata,
    updatedAt: '2025-01-02T03:04:06.001Z',
    filepath: '/a.md',
  };

  test('a memory search answers exactly one of memory and chunk, the same as content, and no context', async () => {
    const { body } = await http.call('POST', V4, { q: 'x', include: { forgottenMemories: true } });
    expect(body).toEqual({
      results: [
        {
          ...{ ...FOUND, id: 'memory-1', memory: 'a memory', content: 'a memory' },
          ...{ version: 1, rootMemoryId: 'memory-1', location: LOCATION },
        },
        { ...FOUND, id: 'chunk-1', chunk: 'a chunk', content: 'a chunk', documentId: ROW.id },
      ],
      timing: expect.any(Number),
      total: 2,
    });
    expect(asked(http, SearchMemories)).toMatchObject({ principal: { organization: 'acme' }, tags: [] });
    expect(asked(http, SearchMemories).options).toEqual({
      question: 'x',
      includeInactive: true,
      filter: null,
      filepath: null,
      limit: 10,
      rewriteQuery: false,
      rerank: false,
      ...{ asOf: null, validAt: null },
      mode: 'memories',
      threshold: 0.6,
      extras: { aggregates: false, chunks: false, related: false },
    });
  });

  test.each<[object, string]>([
    [{ searchMode: 'hybrid' }, 'hybrid'],
    [{ searchMode: 'documents', include: { chunks: true } }, 'documents'],
    [{ include: { chunks: true } }, 'hybrid'],
  ])('mode of %j', async (payload, mode) => {
    await http.call('POST', V4, { q: 'x', ...payload });
    expect(asked(http, SearchMemories).options.mode).toBe(mode);
  });

  test('a memory search passes what results have beyond themselves, and shows it', async () => {
    const [memory, chunk] = [found('memory'), found('chunk')];
    const sources = [ROW, { ...ROW, id: 'other' }];
    http.fake.memories = [
      { ...memory, related: [chunk.unit], chunks: [{ unit: chunk.unit, documentId: ROW.id, similarity: 0.6 }] },
      { ...memory, aggregate: { text: 'joined', documents: sources }, related: [], chunks: [] },
    ];
    const include = { relatedMemories: true, chunks: true, documents: true };
    const { body } = await http.call('POST', V4, { q: 'x', aggregate: true, include });
    expect(asked(http, SearchMemories).options.extras).toEqual({ aggregates: true, chunks: true, related: true });
    const related = { relation: 'extends', memory: 'a chunk', metadata: ROW.metadata, updatedAt: FOUND.updatedAt };
    expect(body.results).toMatchObject([
      {
        ...{ memory: 'a memory', location: LOCATION, documents: [{ id: ROW.id }] },
        context: { parents: [], children: [], related: [related] },
        chunks: [{ content: 'a chunk', position: 0, documentId: ROW.id, score: 0.6 }],
      },
      {
        ...{ memory: 'joined', isAggregated: true, id: 'memory-1', similarity: 0.7 },
        ...{ documents: [{ id: ROW.id }, { id: 'other' }], chunks: [] },
        context: { parents: [], children: [], related: [] },
      },
    ]);
    expect(body.results[0]).not.toHaveProperty('isAggregated');
    expect(body.results[1]).not.toHaveProperty('location');
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

  test('a result has no title without one of the document, and explain if requested', async () => {
    http.fake.memories = [found('memory', { ...ROW, title: null })];
    const { body } = await http.call('POST', V4, { q: 'x', explain: true });
    expect(body.results[0]).not.toHaveProperty('title');
    expect(body.results[0].explain).toEqual({ cosine: 0.9, cosineWide: 0.8, coverage: 0.5, ranking: null });
  });

  test.each([V3, V4])('a rewritten question is explained if that is requested: %s', async (path) => {
    http.fake.rewriting = { intent: 'when', forms: [{ text: 'when?', kinds: ['asked'] }] };
    const question = { q: 'when?', rewriteQuery: true };
    expect((await http.call('POST', path, { ...question, explain: true })).body.explain).toEqual(http.fake.rewriting);
    expect((await http.call('POST', path, question)).body).not.toHaveProperty('explain');
  });
});

describe('profile', () => {
  const PROFILE_BODY = { static: ['likes tea'], dynamic: [], buckets: {} };

  test('without q answers no search results', async () => {
    const { status, body } = await http.call('POST', PROFILE, { containerTag: 'u/1', limit: 5 });
    expect(status).toBe(200);
    expect(body).toEqual({ profile: PROFILE_BODY });
    expect(http.fake.asked).toMatchObject([
      { tags: ['u/1'], options: { filter: null, sections: ['static', 'dynamic', 'buckets'] } },
    ]);
  });

  test('with q searches the tag in hybrid mode', async () => {
    const { body } = await http.call('POST', PROFILE, { containerTag: 'u', q: 'x', include: ['static'], threshold: 0 });
    expect(body).toMatchObject({ profile: PROFILE_BODY, searchResults: { total: http.fake.memories.length } });
    expect(http.fake.asked).toMatchObject([
      { tags: ['u'], options: { sections: ['static'] } },
      { tags: ['u'], options: { question: 'x', mode: 'hybrid', threshold: 0, limit: 10 } },
    ]);
  });

  test('a blank q answers empty search results', async () => {
    const { body } = await http.call('POST', PROFILE, { containerTag: 'u', q: ' ' });
    expect(body.searchResults).toEqual({ results: [], total: 0, timing: 0 });
  });
});

describe('context', () => {
  test('has the defaults of the contract', async () => {
    const { status, body } = await http.call('POST', CONTEXT, {});
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ text: '# Memories\n2025-01-02\n- likes tea', tokens: 14, tokenizer: 'o200k' },
      memories: [{ id: 'm1', text: 'likes tea', date: '2025-01-02', similarity: 0.7 }],
    });
    expect(asked(http, GetContext)).toMatchObject({ principal: { organization: 'acme' }, tags: [] });
    expect(asked(http, GetContext).options).toEqual({
      ...{ question: null, maxTokens: 2000, tokenizer: 'o200k', includeProfile: true, includeRecent: true },
      ...{ threshold: 0.6, asOf: null },
    });
  });

  test('passes every option', async () => {
    await http.call('POST', CONTEXT, {
      ...{ q: 'Who?', containerTag: 'a', maxTokens: 100, tokenizer: 'estimate', includeProfile: false },
      ...{ includeRecent: false, threshold: 0, asOf: '2025-01-01' },
    });
    expect(asked(http, GetContext).tags).toEqual(['a']);
    expect(asked(http, GetContext).options).toEqual({
      ...{ question: 'Who?', maxTokens: 100, tokenizer: 'estimate', includeProfile: false, includeRecent: false },
      ...{ threshold: 0, asOf: Date.UTC(2025, 0, 1) },
    });
  });

  const user = (content: unknown) => ({ role: 'user', content });

  test.each<[string, readonly object[], string | null]>([
    ['the last turn of the user', [user('a'), { role: 'assistant', content: 'b' }, user('c')], 'a\nc'],
    ['the last three at most', ['1', '2', '3', '4'].map(user), '2\n3\n4'],
    ['the last one alone if it is long', [user('a'), user('b'.repeat(1_000))], 'b'.repeat(1_000)],
    ['the end of a very long one', [user(`x${'b'.repeat(10_000)}`)], 'b'.repeat(10_000)],
    [
      'the texts of parts',
      [
        user([
          { type: 'text', text: 'a' },
          { type: 'image_url', imageUrl: { url: 'u' } },
        ]),
      ],
      'a',
    ],
    ['nobody but the user', [{ role: 'assistant', content: 'a' }, user(' ')], null],
  ])('of messages, %s asks', async (_, messages, question) => {
    expect((await http.call('POST', CONTEXT, { messages })).status).toBe(200);
    expect(asked(http, GetContext).options.question).toBe(question);
  });

  test.each<[object, string]>([
    [{ q: 'a', messages: [user('a')] }, 'messages'],
    [{ q: 'a'.repeat(10_001) }, 'q'],
    [{ q: 7 }, 'q'],
    [{ messages: [] }, 'messages'],
    [{ messages: Array.from({ length: 201 }, () => user('a')) }, 'messages'],
    [{ messages: [user('a'), { role: 'bot', content: 'a' }] }, 'messages[1].role'],
    [{ messages: [user([{ type: 'text' }])] }, 'messages[0].content[0].text'],
    [{ containerTag: '' }, 'containerTag'],
    [{ maxTokens: 99 }, 'maxTokens'],
    [{ maxTokens: 32_001 }, 'maxTokens'],
    [{ maxTokens: 100.5 }, 'maxTokens'],
    [{ includeProfile: 'yes' }, 'includeProfile'],
    [{ includeRecent: 1 }, 'includeRecent'],
    [{ threshold: 2 }, 'threshold'],
    [{ tokenizer: 'cl100k' }, 'tokenizer'],
    [{ asOf: '2999-01-01' }, 'asOf'],
    [{ max_tokens: 100 }, 'max_tokens'],
  ])('%j is refused by the name of the field', async (body, field) => {
    const { status, body: error } = await http.call('POST', CONTEXT, body);
    expect([status, error.details]).toEqual([400, field]);
    expect(http.fake.asked).toEqual([]);
  });
});

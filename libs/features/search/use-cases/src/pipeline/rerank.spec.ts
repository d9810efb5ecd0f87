import type { RerankMethod } from '#features/search';
import type { OrganizationId, Scope } from '#platform/kernel';
import { FakeReranker } from '../../../../../ports/rerank/src/testing.ts';
import { row, unitSet } from '../../../../../read-side/views/src/testing.ts';
import { ORGANIZATION, openUseCases, principalOf, type UseCases } from '../../../../documents/use-cases/src/testing.ts';
import { SearchDocuments } from '../search-documents/search-documents.query.ts';
import { searchHandlers } from '../search-handlers.fixture.ts';
import { NO_EXTRAS, SearchMemories, type SearchMode } from '../search-memories/search-memories.query.ts';

/** From the best by words to the worst. */
const TEXTS = [
  'The walrus sings.',
  'The walrus sings in the bath.',
  'The walrus sings in the cold bath of the old zoo.',
] as const;
const [SHORT, LONGER, LONGEST] = TEXTS;
const QUESTION = 'walrus sings';

let useCases: UseCases;
beforeAll(async () => {
  useCases = await openUseCases();
  const shown = (text: string, tag: string, organization = ORGANIZATION) =>
    [row(organization, { id: `${tag}-${text.length}`, tags: [tag] }), unitSet(text)] as const;
  await useCases.show(
    ...TEXTS.map((text) => shown(text, 'zoo')),
    ...[0, 1, 2].map((i) => [row(ORGANIZATION, { id: `same-${i}`, tags: ['same'] }), unitSet(SHORT)] as const),
    ...Array.from({ length: 60 }, (_, i) => shown(`The walrus sings song ${'la '.repeat(i)}`, 'songs')),
    shown('The walrus sings elsewhere.', 'zoo', 'organization-b' as OrganizationId),
  );
});
afterAll(() => useCases.close());

interface SearchChanges {
  readonly tags?: Scope['tags'];
  readonly limit?: number;
  readonly rerank?: boolean;
  readonly threshold?: number;
}

const COMMON = { question: QUESTION, filter: null, filepath: null, rewriteQuery: false };

async function memories(reranker: FakeReranker, mode: SearchMode, changes: SearchChanges = {}) {
  const { tags = ['zoo'], limit = 10, rerank = true, threshold = 0 } = changes;
  const { results } = await searchHandlers(useCases, { reranker }).memories.execute(
    new SearchMemories(principalOf(tags), [], { ...COMMON, limit, rerank, threshold, mode, extras: NO_EXTRAS }),
  );
  return results.map(({ unit, similarity, explanation }) => ({ text: unit.text, similarity, explanation }));
}

async function documents(
  reranker: FakeReranker,
  {
    limit = 10,
    ...thresholds
  }: SearchChanges & { readonly chunkThreshold?: number; readonly documentThreshold?: number } = {},
) {
  const found = await searchHandlers(useCases, { reranker }).documents.execute(
    new SearchDocuments(principalOf(['zoo']), [], {
      ...{ ...COMMON, limit, rerank: true, chunkThreshold: 0, documentThreshold: 0, document: null, ...thresholds },
      ...{ onlyMatchingChunks: true, includeFullDocs: false },
    }),
  );
  return found.ok ? found.value.results.map(({ chunks }) => chunks[0]?.content) : found;
}

const textsOf = (results: readonly { readonly text: string }[]) => results.map(({ text }) => text);

test('the best passages are ordered by the second comparison, in both searches', async () => {
  const reranker = new FakeReranker({ [SHORT]: 0.1, [LONGER]: 0.2, [LONGEST]: 0.9 }, 'cross-encoder');
  expect(textsOf(await memories(reranker, 'memories'))).toEqual([LONGEST, LONGER, SHORT]);
  expect(await documents(reranker)).toEqual([LONGEST, LONGER, SHORT]);
  expect(textsOf(await memories(reranker, 'memories', { rerank: false }))).toEqual(TEXTS);
});

test.each<RerankMethod>(['maxsim', 'cross-encoder'])('similarities of %s never rise down the list', async (method) => {
  const reranker = new FakeReranker({ [SHORT]: -0.5, [LONGER]: 0.3, [LONGEST]: 0.9 }, method);
  const found = await memories(reranker, 'memories');
  const similarities = found.map(({ similarity }) => similarity);
  expect(similarities).toEqual(similarities.toSorted((a, b) => b - a));
  expect(found.map(({ explanation }) => explanation?.rerank)).toEqual([
    { method, score: expect.any(Number) },
    { method, score: expect.any(Number) },
    { method, score: expect.any(Number) },
  ]);
});

test('a passage that could not be compared in time keeps its place', async () => {
  const found = await memories(new FakeReranker({ [SHORT]: 0.1, [LONGEST]: 0.9 }, 'cross-encoder'), 'memories');
  expect(textsOf(found)).toEqual([LONGEST, LONGER, SHORT]);
  expect(found[1]?.explanation?.rerank).toBeNull();
});

test.each([{ chunkThreshold: 0.6 }, { documentThreshold: 0.6 }])(
  'of documents too, and one that was compared takes none below the threshold with it: %p',
  async (thresholds) => {
    const reranker = new FakeReranker({ [SHORT]: -9, [LONGER]: -8 }, 'cross-encoder');
    expect(await documents(reranker)).toEqual([LONGER, SHORT, LONGEST]);
    expect(await documents(reranker, thresholds)).toEqual([LONGEST]);
  },
);

test('without anything to compare with, results are those without rerank', async () => {
  const plain = await memories(new FakeReranker(), 'memories', { rerank: false });
  const nothing = await memories(new FakeReranker({}, null), 'memories');
  expect(nothing).toEqual(
    plain.map(({ explanation, ...one }) => ({ ...one, explanation: { ...explanation, rerank: null } })),
  );
});

test('passages of the scope alone are compared, each text once', async () => {
  const reranker = new FakeReranker();
  await memories(reranker, 'hybrid', { tags: ['zoo', 'x'] });
  for (const { question, passages } of reranker.asked) {
    expect(question).toBe(QUESTION);
    expect(textsOf(passages).toSorted()).toEqual([...TEXTS].toSorted());
  }
  expect(reranker.asked).toHaveLength(2);

  const repeated = new FakeReranker();
  await memories(repeated, 'memories', { tags: ['same'] });
  expect(repeated.asked.map(({ passages }) => textsOf(passages))).toEqual([[SHORT]]);

  const outside = new FakeReranker();
  expect(await memories(outside, 'memories', { tags: ['x'] })).toEqual([]);
  expect(outside.asked).toEqual([]);
});

test('the best 40 are compared, also for a few results, and half of them of each kind', async () => {
  const one = new FakeReranker();
  expect(await memories(one, 'memories', { tags: ['songs'], limit: 1 })).toHaveLength(1);
  expect(one.asked.map(({ passages }) => passages.length)).toEqual([40]);
  const both = new FakeReranker();
  expect(await memories(both, 'hybrid', { tags: ['songs'], limit: 60 })).toHaveLength(60);
  expect(both.asked.map(({ passages }) => passages.length)).toEqual([20, 20]);
});

test('the threshold counts for the reported similarity', async () => {
  const reranker = new FakeReranker({ [LONGEST]: 9, [LONGER]: -9, [SHORT]: -9 }, 'cross-encoder');
  const [first, ...others] = await memories(reranker, 'memories', { threshold: 0.99 });
  expect([first?.text, others]).toEqual([LONGEST, []]);
});

test('`*` is not compared', async () => {
  const reranker = new FakeReranker();
  const extras = NO_EXTRAS;
  const options = {
    ...COMMON,
    question: '*',
    limit: 10,
    rerank: true,
    threshold: 0,
    mode: 'memories',
    extras,
  } as const;
  await searchHandlers(useCases, { reranker }).memories.execute(new SearchMemories(principalOf(['zoo']), [], options));
  expect(reranker.asked).toEqual([]);
});

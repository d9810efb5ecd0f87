import type { OrganizationId, Scope } from '#platform/kernel';
import { row, unitSet } from '../../../../../read-side/views/src/testing.ts';
import { ORGANIZATION, openUseCases, principalOf, type UseCases } from '../../../../documents/use-cases/src/testing.ts';
import type { SearchDocumentsHandler } from '../search-documents/search-documents.handler.ts';
import { SearchDocuments } from '../search-documents/search-documents.query.ts';
import { searchHandlers } from '../search-handlers.fixture.ts';
import type { SearchMemoriesHandler } from '../search-memories/search-memories.handler.ts';
import { NO_EXTRAS, SearchMemories } from '../search-memories/search-memories.query.ts';
import type { SearchResults } from '../search-options.ts';
import { QueryRewriter } from './query-rewriter.ts';

const OTHER = 'organization-b' as OrganizationId;

let useCases: UseCases;
let memories: SearchMemoriesHandler;
let documents: SearchDocumentsHandler;
beforeAll(async () => {
  useCases = await openUseCases();
  ({ memories, documents } = searchHandlers(useCases));
});
afterAll(() => useCases.close());

const show = (tag: string, texts: Readonly<Record<string, string>>, changes: Parameters<typeof row>[1] = {}) =>
  useCases.show(
    ...Object.entries(texts).map(
      ([id, text]) => [row(ORGANIZATION, { id, tags: [tag], ...changes }), unitSet(text)] as const,
    ),
  );

const COMMON = { filter: null, filepath: null, limit: 10, rerank: false };
async function find(question: string, tags: Scope['tags'], options: object = {}) {
  const kinds = { mode: 'memories', threshold: 0, extras: NO_EXTRAS } as const;
  const all = { ...COMMON, ...kinds, question, rewriteQuery: true, ...options } as const;
  return memories.execute(new SearchMemories(principalOf(tags), [], all));
}
const idsOf = ({ results }: SearchResults<{ document: { id: string } }>) => results.map(({ document }) => document.id);
const formsOf = ({ rewriting }: SearchResults<unknown>) => rewriting?.forms.map(({ text }) => text);

test('a misspelt word is searched in the spelling of a passage of the scope', async () => {
  await show('orchard', { trees: 'The Sycamore trees are old.', fence: 'The fence is new.' });
  const found = await find('sicamore', ['orchard'], { threshold: 0.6 });
  expect(idsOf(found)).toEqual(['trees']);
  expect(formsOf(found)).toEqual(['sicamore', 'sycamore']);
  expect(found.results[0]?.explanation).toMatchObject({ form: 'sycamore', coverage: 1 });
  expect(idsOf(await find('sicamore', ['orchard'], { rewriteQuery: false }))).toEqual([]);

  const options = { ...COMMON, question: 'sicamore', chunkThreshold: 0.6, documentThreshold: 0 };
  const chunks = await documents.execute(
    new SearchDocuments(principalOf(['orchard']), [], {
      ...options,
      rewriteQuery: true,
      document: null,
      onlyMatchingChunks: true,
      includeFullDocs: false,
    }),
  );
  expect(chunks.ok && idsOf(chunks.value)).toEqual(['trees']);
  expect(chunks.ok && formsOf(chunks.value)).toEqual(['sicamore', 'sycamore']);
});

test('no spelling comes from another tag, another organization, a filtered or a deleted document', async () => {
  await show('garden', { rose: 'Plain text.' });
  await show('greenhouse', { orchid: 'The Cattleya flowers.' }, { metadata: { kind: 'plant' }, filepath: '/plants' });
  await useCases.show([row(OTHER, { id: 'elsewhere', tags: ['garden'] }), unitSet('The Cattleya flowers.')]);
  const asked = 'catleya';
  expect(formsOf(await find(asked, ['garden']))).toEqual([asked]);
  expect(formsOf(await find(asked, ['greenhouse'], { filepath: '/other' }))).toEqual([asked]);
  expect(formsOf(await find(asked, ['garden', 'greenhouse']))).toEqual([asked, 'cattleya']);

  const { views } = useCases;
  const hiding = {
    termFrequencies: views.termFrequencies.bind(views),
    languages: views.languages.bind(views),
  };
  const withoutHits = new QueryRewriter({ ...hiding, search: async () => [] });
  const scope = { organization: ORGANIZATION, tags: ['greenhouse'] };
  const query = { scope, filter: null, filepath: null, documentId: null, cutAt: useCases.clock.now() };
  expect((await withoutHits.rewrite(asked, { query, kinds: ['memory'] })).forms).toHaveLength(1);
});

test('a word that many passages hold keeps its spelling', async () => {
  await show('names', { a: 'Jon sailed.', b: 'Marta sailed.', c: 'Marta sang.', d: 'Marta slept.', e: 'Marte sat.' });
  expect(formsOf(await find('marta', ['names']))).toEqual(['marta']);
});

test('each part of a question finds its own passage, at its own similarity', async () => {
  await show('kitchen', { kettle: 'The kettle is in the pantry.', ladle: 'The ladle is behind the stove.' });
  const found = await find('pantry kettle or stove ladle', ['kitchen'], { threshold: 0.6 });
  expect(idsOf(found).sort()).toEqual(['kettle', 'ladle']);
  const similarities = found.results.map(({ similarity }) => similarity);
  expect(similarities).toEqual(similarities.toSorted((a, b) => b - a));
});

test('passages that hold what is asked for rise', async () => {
  await show('harbour', {
    plain: 'The ferry with the blue funnel leaves as always.',
    time: 'The ferry with the blue funnel leaves on Monday.',
    place: 'The ferry with the blue funnel leaves from Rostock.',
  });
  const when = await find('When does the ferry leave?', ['harbour']);
  expect([idsOf(when)[0], when.rewriting?.intent]).toEqual(['time', 'when']);
  expect(when.results[0]?.explanation).toMatchObject({ fitsIntent: true });
  expect(idsOf(await find('Where does the ferry leave from?', ['harbour']))[0]).toBe('place');
});

test('relative dates are those of the time of the request', async () => {
  const { clock } = useCases;
  const yesterday = new Date(clock.now() - 86_400_000).toISOString().slice(0, 10);
  await show('diary', { 'years-ago': 'We planted peas.' }, { documentDate: '2001-02-03' });
  await show('diary', { 'day-before': 'We planted beans.' }, { documentDate: yesterday });
  const found = await find('What did we plant yesterday?', ['diary']);
  expect(found.rewriting?.forms[1]?.kinds).toEqual(['dates']);
  expect(idsOf(found)).toEqual(['day-before', 'years-ago']);
});

test('* and a question that is too long have no forms beside themselves', async () => {
  await show('long', { one: 'A kettle.' });
  expect((await find('*', ['long'])).rewriting).toBeNull();
  const long = `kettle and ${'pan '.repeat(1_000)}`.trim();
  expect(formsOf(await find(long, ['long']))).toEqual([long]);
  const [result] = (await find('kettle', ['long'])).results;
  expect(result?.explanation).toMatchObject({ form: 'kettle', fitsIntent: false });
});

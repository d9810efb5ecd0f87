import { err, type OrganizationId, type Principal } from '#platform/kernel';
import { row, unitSet } from '../../../../../read-side/views/src/testing.ts';
import {
  OF_OTHER_ORGANIZATION,
  ORGANIZATION,
  openUseCases,
  principalOf,
  type UseCases,
} from '../../../../documents/use-cases/src/testing.ts';
import { searchHandlers } from '../search-handlers.fixture.ts';
import type { SearchDocumentsHandler } from './search-documents.handler.ts';
import { SearchDocuments } from './search-documents.query.ts';

let useCases: UseCases;
let handler: SearchDocumentsHandler;
let id: string;
beforeAll(async () => {
  useCases = await openUseCases();
  handler = searchHandlers(useCases).documents;
  id = await useCases.added(['a', 'b'], { customId: 'mine', content: 'The kettle is blue.' });
  const units = unitSet('The kettle is blue.');
  await useCases.show(
    [row(ORGANIZATION, { id, tags: ['a', 'b'] }), units],
    [row(ORGANIZATION, { id: 'of-c', tags: ['c'] }), units],
    [row('organization-b' as OrganizationId, { id: 'elsewhere', tags: ['a'] }), units],
  );
});
afterAll(() => useCases.close());

async function search(
  principal: Principal,
  question: string,
  document: string | null = null,
  tags: readonly string[] = [],
) {
  const found = await handler.execute(
    new SearchDocuments(principal, tags, {
      ...{
        question,
        filter: null,
        filepath: null,
        limit: 10,
        chunkThreshold: 0,
        documentThreshold: 0,
        rewriteQuery: false,
        rerank: false,
      },
      ...{ onlyMatchingChunks: true, includeFullDocs: true },
      document,
    }),
  );
  return found.ok ? found.value.results.map(({ document, content }) => [document.id, content]) : found;
}

const of = (...tags: readonly string[]): Principal => principalOf(tags);

describe.each(['kettle', '*'])('the question %s', (question) => {
  test('finds documents with a tag of the scope, in one organization', async () => {
    expect(await search(of('b', 'x'), question)).toEqual([[id, 'The kettle is blue.']]);
    expect(await search(of('x'), question)).toEqual([]);
    expect(await search(of(), question)).toEqual([]);
  });

  test('finds a named document by one matching tag', async () => {
    const principal = principalOf(['b'], { writableTags: [] });
    for (const named of [id, 'mine']) {
      expect(await search(principal, question, named)).toEqual([[id, 'The kettle is blue.']]);
    }
  });

  test.each([
    ['none of its tags', principalOf(['c']), 'forbidden'],
    ['another organization', OF_OTHER_ORGANIZATION, 'not_found'],
  ])('is refused for a named document to a principal with %s', async (_, principal, refusal) => {
    expect(await search(principal, question, id)).toEqual(err(refusal));
    // By a customId, what the principal may not see does not exist.
    expect(await search(principal, question, 'mine')).toEqual(err('not_found'));
  });

  test('is refused for a named document that the principal may read outside of the tags of the search', async () => {
    expect(await search(of('a', 'c'), question, id, ['c'])).toEqual(err('not_found'));
  });
});

test('full documents beyond 64 MB are omitted, and every result stays in its place', async () => {
  const ids: string[] = [];
  for (const name of ['a', 'b']) ids.push(await useCases.added(['full'], { content: name.repeat(33_000_000) }));
  await useCases.show(
    ...ids.map((one) => [row(ORGANIZATION, { id: one, tags: ['full'] }), unitSet('A samovar hums.')] as const),
  );
  const found = await handler.execute(
    new SearchDocuments(of('full'), [], {
      ...{
        question: 'samovar',
        filter: null,
        filepath: null,
        limit: 10,
        chunkThreshold: 0,
        documentThreshold: 0,
        rewriteQuery: false,
        rerank: false,
      },
      ...{ onlyMatchingChunks: true, includeFullDocs: true, document: null },
    }),
  );
  const shown = found.ok
    ? found.value.results.map(({ content, contentOmitted }) => [typeof content, contentOmitted ?? false])
    : found;
  expect(shown).toEqual([
    ['function', false],
    ['object', true],
  ]);
});

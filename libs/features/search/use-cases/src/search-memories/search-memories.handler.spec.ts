import type { OrganizationId, Scope } from '#platform/kernel';
import { EmbedderOff, type ModelStatus } from '#ports/models';
import { direction, embedded, row, SPACE, unitSet } from '../../../../../read-side/views/src/testing.ts';
import { ORGANIZATION, openUseCases, principalOf, type UseCases } from '../../../../documents/use-cases/src/testing.ts';
import { questionsBy, searchHandlers } from '../search-handlers.fixture.ts';
import type { SearchMemoriesHandler } from './search-memories.handler.ts';
import { NO_EXTRAS, SearchMemories, type SearchMode } from './search-memories.query.ts';

let useCases: UseCases;
let handler: SearchMemoriesHandler;
beforeAll(async () => {
  useCases = await openUseCases();
  handler = searchHandlers(useCases).memories;
  await useCases.show(
    [row(ORGANIZATION, { id: 'of-a-b', tags: ['a', 'b'] }), unitSet('The kettle is blue.')],
    [row(ORGANIZATION, { id: 'of-c', tags: ['c'] }), unitSet('The kettle is red.')],
    [row('organization-b' as OrganizationId, { id: 'elsewhere', tags: ['a'] }), unitSet('The kettle is green.')],
  );
});
afterAll(() => useCases.close());

async function search(tags: Scope['tags'], question: string, mode: SearchMode): Promise<readonly string[]> {
  const options = {
    question,
    mode,
    filter: null,
    filepath: null,
    limit: 10,
    threshold: 0,
    rewriteQuery: false,
    rerank: false,
    extras: NO_EXTRAS,
  };
  const { results: found } = await handler.execute(new SearchMemories(principalOf(tags), [], options));
  return [...new Set(found.map(({ document }) => document.id))].sort();
}

test.each<[string, SearchMode]>([
  ['kettle', 'memories'],
  ['kettle', 'documents'],
  ['kettle', 'hybrid'],
  ['*', 'memories'],
  ['*', 'documents'],
  ['*', 'hybrid'],
])('the question %s over %s finds what has a tag of the scope, in one organization', async (question, mode) => {
  expect(await search(['b', 'x'], question, mode)).toEqual(['of-a-b']);
  expect(await search(['a', 'c'], question, mode)).toEqual(['of-a-b', 'of-c']);
  expect(await search('all', question, mode)).toEqual(['of-a-b', 'of-c']);
  expect(await search(['x'], question, mode)).toEqual([]);
  expect(await search([], question, mode)).toEqual([]);
});

/** Gives every question the same vector, as a model does with texts that it cannot read. */
class Model extends EmbedderOff {
  constructor() {
    super({ state: 'ready', space: { name: SPACE, dimensions: 32 } } satisfies ModelStatus);
  }
  override embedQuestion(): Promise<Float32Array> {
    return Promise.resolve(direction(0));
  }
}

describe('with vectors', () => {
  let found: (question: string) => Promise<readonly string[]>;
  beforeAll(async () => {
    const questions = questionsBy(() => new Model(), SPACE, useCases.views);
    const searching = searchHandlers(useCases, { questions }).memories;
    const document = row(ORGANIZATION, { id: 'short', tags: ['short'], vectorSpaces: [SPACE] });
    await useCases.show([document, embedded(['Yes!!!'], [0])]);
    found = async (question) => {
      const options = {
        question,
        mode: 'memories',
        filter: null,
        filepath: null,
        limit: 10,
        threshold: 0.6,
        rewriteQuery: false,
        rerank: false,
        extras: NO_EXTRAS,
      } as const;
      const { results } = await searching.execute(new SearchMemories(principalOf(['short']), [], options));
      return results.map(({ document: { id } }) => id);
    };
  });

  test.each(['?!', '- -- ---', '🎂🎉', '👩‍👩‍👧', '\ud800', ' \n'])(
    'a question without letters and numbers, %j, finds nothing',
    async (q) => {
      expect(await found(q)).toEqual([]);
    },
  );

  test.each(['What is it?', '7', '東京', 'Да'])('the question %j is compared by meaning', async (question) => {
    expect(await found(question)).toEqual(['short']);
  });
});

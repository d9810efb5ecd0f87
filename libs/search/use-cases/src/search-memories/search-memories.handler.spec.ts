import type { OrganizationId, Scope } from '#kernel';
import { ORGANIZATION, openUseCases, type UseCases } from '../../../../documents/use-cases/src/testing.ts';
import { row, unitSet } from '../../../../views/src/testing.ts';
import { SearchMemoriesHandler } from './search-memories.handler.ts';
import { SearchMemories, type SearchMode } from './search-memories.query.ts';

let useCases: UseCases;
let handler: SearchMemoriesHandler;
beforeAll(async () => {
  useCases = await openUseCases();
  const { views } = useCases;
  handler = new SearchMemoriesHandler(views, useCases.questions);
  await useCases.show(
    [row(ORGANIZATION, { id: 'of-a-b', tags: ['a', 'b'] }), unitSet('The kettle is blue.')],
    [row(ORGANIZATION, { id: 'of-c', tags: ['c'] }), unitSet('The kettle is red.')],
    [row('organization-b' as OrganizationId, { id: 'elsewhere', tags: ['a'] }), unitSet('The kettle is green.')],
  );
});
afterAll(() => useCases.close());

async function search(tags: Scope['tags'], question: string, mode: SearchMode): Promise<readonly string[]> {
  const options = { question, mode, filter: null, filepath: null, limit: 10, threshold: 0 };
  const found = await handler.execute(new SearchMemories({ organization: ORGANIZATION, tags }, options));
  return [...new Set(found.map(({ document }) => document.id))].sort();
}

test.each<[string, SearchMode]>([
  ['kettle', 'memories'],
  ['kettle', 'documents'],
  ['kettle', 'hybrid'],
  ['*', 'memories'],
])('the question %s over %s finds what has a tag of the scope, in one organization', async (question, mode) => {
  expect(await search(['b', 'x'], question, mode)).toEqual(['of-a-b']);
  expect(await search(['a', 'c'], question, mode)).toEqual(['of-a-b', 'of-c']);
  expect(await search('all', question, mode)).toEqual(['of-a-b', 'of-c']);
  expect(await search(['x'], question, mode)).toEqual([]);
  expect(await search([], question, mode)).toEqual([]);
});

import type { OrganizationId, Scope } from '#platform/kernel';
import { row } from '../../../../../read-side/views/src/testing.ts';
import { ORGANIZATION, openUseCases, principalOf, type UseCases } from '../testing.ts';
import { ListProcessingHandler } from './list-processing.handler.ts';
import { ListProcessing } from './list-processing.query.ts';

let useCases: UseCases;
let handler: ListProcessingHandler;
beforeAll(async () => {
  useCases = await openUseCases();
  handler = new ListProcessingHandler(useCases.currentViews);
  await useCases.show(
    [row(ORGANIZATION, { id: 'queued', stage: 'queued', tags: ['a', 'b'], createdAt: 2 })],
    [row(ORGANIZATION, { id: 'indexing', stage: 'indexing', tags: ['b'], createdAt: 1 })],
    [row(ORGANIZATION, { id: 'done', stage: 'done', tags: ['a'] })],
    [row(ORGANIZATION, { id: 'failed', stage: 'failed', tags: ['a'] })],
    [row('organization-b' as OrganizationId, { id: 'elsewhere', stage: 'queued', tags: ['a'] })],
  );
});
afterAll(() => useCases.close());

test.each<[Scope['tags'], readonly string[]]>([
  [['a'], ['queued']],
  [
    ['b', 'x'],
    ['queued', 'indexing'],
  ],
  [['x'], []],
  [[], []],
  ['all', ['queued', 'indexing']],
])('unfinished documents with a tag of the scope %j are listed', async (tags, ids) => {
  const { documents, total } = await handler.execute(new ListProcessing(principalOf(tags), []));
  expect(documents.map((document) => document.row.id)).toEqual(ids);
  expect(total).toBe(ids.length);
});

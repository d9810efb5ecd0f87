import type { OrganizationId, Scope } from '#platform/kernel';
import { row, unitSet } from '../../../../../read-side/views/src/testing.ts';
import { CountDocumentsHandler } from '../count-documents/count-documents.handler.ts';
import { CountDocuments } from '../count-documents/count-documents.query.ts';
import { DocumentMemories, type DocumentWithMemories } from '../document-memories.ts';
import { GetDocumentsWithMemoriesHandler } from '../get-documents-with-memories/get-documents-with-memories.handler.ts';
import { GetDocumentsWithMemories } from '../get-documents-with-memories/get-documents-with-memories.query.ts';
import { ORGANIZATION, openUseCases, principalOf, type UseCases } from '../testing.ts';
import { ListDocumentsWithMemoriesHandler } from './list-documents-with-memories.handler.ts';
import { ListDocumentsWithMemories, type MemoryListOptions } from './list-documents-with-memories.query.ts';

let useCases: UseCases;
let memories: DocumentMemories;
beforeAll(async () => {
  useCases = await openUseCases();
  memories = new DocumentMemories(useCases.documents, useCases.clock);
  const of = (id: string, tags: readonly string[], createdAt: number, type = 'text', source = 'api') =>
    row(ORGANIZATION, { id, tags, createdAt, type, source, customId: `custom-${id}` });
  await useCases.show(
    [of('one', ['a', 'b'], 3), unitSet('first', 'second')],
    [of('two', ['b'], 2, 'pdf', 'upload'), unitSet('third')],
    [of('three', ['c'], 1, 'pdf')],
    [row('organization-b' as OrganizationId, { id: 'elsewhere', tags: ['a'] }), unitSet('fourth')],
  );
});
afterAll(() => useCases.close());

const textsOf = (documents: readonly DocumentWithMemories[]) =>
  documents.map(({ row: { id }, memories }) => [id, ...memories.map(({ text }) => text)]);

async function list(tags: Scope['tags'], changes: Partial<MemoryListOptions> = {}) {
  const options = {
    sources: null,
    types: null,
    sort: 'createdAt',
    order: 'desc',
    page: 1,
    limit: 10,
    ...changes,
  } as const;
  const handler = new ListDocumentsWithMemoriesHandler(useCases.currentViews, memories);
  const { documents, total } = await handler.execute(new ListDocumentsWithMemories(principalOf(tags), [], options));
  return { documents: textsOf(documents), total };
}

const ONE = ['one', 'first', 'second'];
const TWO = ['two', 'third'];

test('documents with a tag of the scope come with their memories, page by page', async () => {
  expect(await list('all')).toEqual({ documents: [ONE, TWO, ['three']], total: 3 });
  expect(await list(['b'])).toEqual({ documents: [ONE, TWO], total: 2 });
  expect(await list(['b'], { page: 2, limit: 1 })).toEqual({ documents: [TWO], total: 2 });
  expect(await list(['b'], { page: 3, limit: 1 })).toEqual({ documents: [], total: 2 });
  expect(await list([])).toEqual({ documents: [], total: 0 });
});

test('sources and types restrict them', async () => {
  expect(await list('all', { types: ['pdf'] })).toEqual({ documents: [TWO, ['three']], total: 2 });
  expect(await list('all', { types: ['pdf', 'text'], sources: ['upload'] })).toEqual({ documents: [TWO], total: 1 });
});

test.each([
  ['id', (id: string) => id],
  ['customId', (id: string) => `custom-${id}`],
] as const)('by their %s they come in the order of the request, if they are in the scope', async (by, nameOf) => {
  const handler = new GetDocumentsWithMemoriesHandler(useCases.currentViews, memories);
  const names = ['two', 'unknown', 'three', 'one', 'two', 'elsewhere'].map(nameOf);
  const get = async (tags: Scope['tags']) =>
    textsOf(await handler.execute(new GetDocumentsWithMemories(principalOf(tags), [], by, names)));
  expect(await get('all')).toEqual([TWO, ['three'], ONE]);
  expect(await get(['a', 'c'])).toEqual([['three'], ONE]);
  expect(await get([])).toEqual([]);
});

test('types are counted within the scope, the most frequent first', async () => {
  const handler = new CountDocumentsHandler(useCases.currentViews);
  const count = (tags: Scope['tags']) => handler.execute(new CountDocuments(principalOf(tags), []));
  expect(await count('all')).toEqual([
    { type: 'pdf', count: 2 },
    { type: 'text', count: 1 },
  ]);
  expect(await count(['a'])).toEqual([{ type: 'text', count: 1 }]);
  expect(await count([])).toEqual([]);
});

import type { DocumentEvent } from '#features/documents';
import { err, ok, type Principal } from '#platform/kernel';
import { OF_OTHER_ORGANIZATION, openUseCases, principalOf, type UseCases } from '../testing.ts';
import { GetDocumentChunksHandler } from './get-document-chunks.handler.ts';
import { GetDocumentChunks } from './get-document-chunks.query.ts';

let useCases: UseCases;
let handler: GetDocumentChunksHandler;
beforeAll(async () => {
  useCases = await openUseCases();
  handler = new GetDocumentChunksHandler(useCases.documents, useCases.contents);
});
afterAll(() => useCases.close());

const FORMED: readonly DocumentEvent[] = [
  {
    ...({ type: 'ContentExtracted', stage: 'extracting', contentVersion: 1 } as const),
    payload: { text: null, title: null, type: 'text' },
  },
  {
    ...({ type: 'ContentChunked', stage: 'chunking', contentVersion: 1 } as const),
    payload: {
      chunks: {
        inline: [
          ['c0', 0, 3],
          ['c1', 4, 7],
        ],
      },
      unitKey: 'key',
    },
  },
  {
    ...({ type: 'MemoriesFormed', stage: 'chunking', contentVersion: 1 } as const),
    payload: { memories: { inline: [['m0', 0, 7, null]] } },
  },
];

const get = (principal: Principal, id: string) => handler.execute(new GetDocumentChunks(principal, id));

test('a document has no chunks until they are formed, then those of its text in order', async () => {
  const id = await useCases.added(['a', 'b'], { customId: 'formed', content: 'one two' });
  expect(await get(principalOf(['b']), 'formed')).toMatchObject(ok({ id, chunks: [] }));
  await useCases.append(id, ...FORMED);
  const chunks = [
    { id: 'c0', kind: 'chunk', ordinal: 0, text: 'one', speaker: null },
    { id: 'c1', kind: 'chunk', ordinal: 1, text: 'two', speaker: null },
  ];
  expect(await get(principalOf(['b']), id)).toEqual(ok({ id, createdAt: useCases.clock.now(), chunks }));
});

test.each([
  ['no tag of the document', principalOf(['c']), 'forbidden', 'not_found'],
  ['another organization', OF_OTHER_ORGANIZATION, 'not_found', 'not_found'],
])('a principal with %s is refused', async (name, principal, refusal, byName) => {
  const id = await useCases.added(['a'], { customId: name });
  expect(await get(principal, id)).toEqual(err(refusal));
  expect(await get(principal, name)).toEqual(err(byName));
});

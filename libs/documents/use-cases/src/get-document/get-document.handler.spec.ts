import { type Caller, err, ok, readScope } from '#kernel';
import { callerOf, OF_OTHER_ORGANIZATION, openUseCases, type UseCases } from '../testing.ts';
import { GetDocumentHandler } from './get-document.handler.ts';
import { GetDocument } from './get-document.query.ts';

let useCases: UseCases;
let handler: GetDocumentHandler;
beforeAll(async () => {
  useCases = await openUseCases();
  handler = new GetDocumentHandler(useCases.documents, useCases.contents);
});
afterAll(() => useCases.close());

const get = (caller: Caller, id: string) => handler.execute(new GetDocument(readScope(caller), id));

test.each([
  ['that may write it', callerOf(['b', 'c'])],
  ['that may only read it', callerOf(['b', 'c'], { writableTags: [] })],
])('one matching tag permits the read by a caller %s', async (name, caller) => {
  const id = await useCases.added(['a', 'b'], { customId: name, content: 'hello' });
  const expected = ok({ row: { id, tags: ['a', 'b'], stage: 'queued' }, content: 'hello' });
  expect(await get(caller, id)).toMatchObject(expected);
  expect(await get(caller, name)).toMatchObject(expected);
});

test.each([
  ['no tag of the document', callerOf(['c']), 'forbidden'],
  ['no tag at all', callerOf([]), 'forbidden'],
  ['another organization', OF_OTHER_ORGANIZATION, 'not_found'],
])('a caller with %s is refused', async (name, caller, refusal) => {
  const id = await useCases.added(['a'], { customId: name });
  expect(await get(caller, id)).toEqual(err(refusal));
  expect(await get(caller, name)).toEqual(err(refusal));
});

test('an unknown id is not found', async () => {
  expect(await get(callerOf(['a']), 'x'.repeat(22))).toEqual(err('not_found'));
});

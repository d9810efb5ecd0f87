import { err, ok, type Principal } from '#platform/kernel';
import { OF_OTHER_ORGANIZATION, OWNER, openUseCases, principalOf, type UseCases } from '../testing.ts';
import { DeleteDocument } from './delete-document.command.ts';
import { DeleteDocumentHandler } from './delete-document.handler.ts';

let useCases: UseCases;
let handler: DeleteDocumentHandler;
beforeAll(async () => {
  useCases = await openUseCases();
  handler = new DeleteDocumentHandler(useCases.deletion, useCases.erasure, useCases.deletions);
});
afterAll(() => useCases.close());

const remove = (principal: Principal, id: string) => handler.execute(new DeleteDocument(principal, id));

test.each(['by id', 'by customId'])('one matching tag permits the deletion %s', async (by) => {
  const id = await useCases.added(['a', 'b'], { customId: by });
  expect(await remove(principalOf(['b', 'c']), by === 'by id' ? id : by)).toEqual(ok({ id }));
  expect(await useCases.eventTypes(id)).toEqual(['DocumentAdded', 'DocumentDeleted']);
});

test.each([
  ['no tag of the document', principalOf(['c']), 'forbidden', 'not_found'],
  ['only the permission to read its tag', principalOf(['a'], { writableTags: [] }), 'forbidden', 'forbidden'],
  ['another organization', OF_OTHER_ORGANIZATION, 'not_found', 'not_found'],
])('a principal with %s is refused, and nothing is appended', async (name, principal, refusal, byName) => {
  const id = await useCases.added(['a'], { customId: name });
  const before = await useCases.head();
  expect(await remove(principal, id)).toEqual(err(refusal));
  expect(await remove(principal, name)).toEqual(err(byName));
  expect(await useCases.head()).toBe(before);
});

test('while its blobs cannot be removed, the answer is an error, and the document is deleted', async () => {
  const id = await useCases.added(['a']);
  useCases.blobs.deletePrefix = async () => {
    throw new Error('the folder has wrong permissions');
  };
  try {
    await expect(remove(OWNER, id)).rejects.toMatchObject({ kind: 'transient', code: 'erasure_delayed' });
  } finally {
    Reflect.deleteProperty(useCases.blobs, 'deletePrefix');
  }
  expect(await remove(OWNER, id)).toEqual(err('not_found'));
});

test('a deleted document is not found', async () => {
  const id = await useCases.added(['a']);
  await remove(OWNER, id);
  expect(await remove(principalOf(['a']), id)).toEqual(err('not_found'));
  expect(await remove(principalOf(['b']), id)).toEqual(err('not_found'));
});

test('a deletion does not read the views', async () => {
  const suspended = await openUseCases();
  const { deletion, erasure, deletions } = suspended;
  const id = await suspended.added(['a']);
  const called = suspended.suspendViews();
  const command = new DeleteDocument(OWNER, id);
  expect(await new DeleteDocumentHandler(deletion, erasure, deletions).execute(command)).toEqual(ok({ id }));
  expect(called).toEqual([]);
  await suspended.close();
});

import { actorOf, type Caller, err, readScope, writeScope } from '#platform/kernel';
import { DeleteDocument } from '../delete-document/delete-document.command.ts';
import { DeleteDocumentHandler } from '../delete-document/delete-document.handler.ts';
import { callerOf, OF_OTHER_ORGANIZATION, OWNER, openUseCases, type UseCases } from '../testing.ts';
import { GetDocumentEventsHandler } from './get-document-events.handler.ts';
import { GetDocumentEvents } from './get-document-events.query.ts';

let useCases: UseCases;
let handler: GetDocumentEventsHandler;
beforeAll(async () => {
  useCases = await openUseCases();
  handler = new GetDocumentEventsHandler(useCases.documents);
});
afterAll(() => useCases.close());

async function eventsOf(caller: Caller, id: string): Promise<unknown> {
  const found = await handler.execute(new GetDocumentEvents(readScope(caller), id));
  return found.ok ? found.value.map(({ envelope, payload }) => [envelope.type, payload]) : found;
}

test('one matching tag permits the events, without payloads', async () => {
  const id = await useCases.added(['a', 'b'], { customId: 'one' });
  const caller = callerOf(['b', 'c'], { writableTags: [] });
  expect(await eventsOf(caller, id)).toEqual([['DocumentAdded', null]]);
  expect(await eventsOf(caller, 'one')).toEqual([['DocumentAdded', null]]);
});

test.each([
  ['no tag of the document', callerOf(['c']), 'forbidden', 'not_found'],
  ['another organization', OF_OTHER_ORGANIZATION, 'not_found', 'not_found'],
])('a caller with %s is refused', async (name, caller, refusal, byName) => {
  const id = await useCases.added(['a'], { customId: name });
  expect(await eventsOf(caller, id)).toEqual(err(refusal));
  expect(await eventsOf(caller, name)).toEqual(err(byName));
});

test('for a deleted document the tags of its last event count', async () => {
  const id = await useCases.added(['a'], { customId: 'deleted' });
  await useCases.changeTags(id, ['a', 'b']);
  const remove = new DeleteDocumentHandler(useCases.deletion, useCases.erasure, useCases.deletions);
  await remove.execute(new DeleteDocument(writeScope(OWNER), actorOf(OWNER), id));
  const expected = [
    ['DocumentAdded', null],
    ['DetailsChanged', null],
    ['DocumentDeleted', null],
  ];
  expect(await eventsOf(callerOf(['b']), id)).toEqual(expected);
  expect(await eventsOf(callerOf(['c']), id)).toEqual(err('forbidden'));
  expect(await eventsOf(OF_OTHER_ORGANIZATION, id)).toEqual(err('not_found'));
  expect(await eventsOf(callerOf(['b']), 'deleted')).toEqual(err('not_found'));
});

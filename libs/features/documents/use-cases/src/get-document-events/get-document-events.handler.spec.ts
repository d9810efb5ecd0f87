import { err, type Principal } from '#platform/kernel';
import { DeleteDocument } from '../delete-document/delete-document.command.ts';
import { DeleteDocumentHandler } from '../delete-document/delete-document.handler.ts';
import { OF_OTHER_ORGANIZATION, OWNER, openUseCases, principalOf, type UseCases } from '../testing.ts';
import { GetDocumentEventsHandler } from './get-document-events.handler.ts';
import { GetDocumentEvents } from './get-document-events.query.ts';

let useCases: UseCases;
let handler: GetDocumentEventsHandler;
beforeAll(async () => {
  useCases = await openUseCases();
  handler = new GetDocumentEventsHandler(useCases.documents);
});
afterAll(() => useCases.close());

async function eventsOf(principal: Principal, id: string): Promise<unknown> {
  const found = await handler.execute(new GetDocumentEvents(principal, id));
  return found.ok ? found.value.map(({ envelope, payload }) => [envelope.type, payload]) : found;
}

test('one matching tag permits the events, without payloads', async () => {
  const id = await useCases.added(['a', 'b'], { customId: 'one' });
  const principal = principalOf(['b', 'c'], { writableTags: [] });
  expect(await eventsOf(principal, id)).toEqual([['DocumentAdded', null]]);
  expect(await eventsOf(principal, 'one')).toEqual([['DocumentAdded', null]]);
});

test.each([
  ['no tag of the document', principalOf(['c']), 'forbidden', 'not_found'],
  ['another organization', OF_OTHER_ORGANIZATION, 'not_found', 'not_found'],
])('a principal with %s is refused', async (name, principal, refusal, byName) => {
  const id = await useCases.added(['a'], { customId: name });
  expect(await eventsOf(principal, id)).toEqual(err(refusal));
  expect(await eventsOf(principal, name)).toEqual(err(byName));
});

test('for a deleted document the tags of its last event count', async () => {
  const id = await useCases.added(['a'], { customId: 'deleted' });
  await useCases.changeTags(id, ['a', 'b']);
  const remove = new DeleteDocumentHandler(useCases.deletion, useCases.erasure, useCases.deletions);
  await remove.execute(new DeleteDocument(OWNER, id));
  const expected = [
    ['DocumentAdded', null],
    ['DetailsChanged', null],
    ['DocumentDeleted', null],
  ];
  expect(await eventsOf(principalOf(['b']), id)).toEqual(expected);
  expect(await eventsOf(principalOf(['c']), id)).toEqual(err('forbidden'));
  expect(await eventsOf(OF_OTHER_ORGANIZATION, id)).toEqual(err('not_found'));
  expect(await eventsOf(principalOf(['b']), 'deleted')).toEqual(err('not_found'));
});

import { err, ok, type Principal } from '#platform/kernel';
import { OF_OTHER_ORGANIZATION, openUseCases, principalOf, type UseCases } from '../testing.ts';
import { RetryDocument } from './retry-document.command.ts';
import { RetryDocumentHandler } from './retry-document.handler.ts';

let useCases: UseCases;
let handler: RetryDocumentHandler;
beforeAll(async () => {
  useCases = await openUseCases();
  handler = new RetryDocumentHandler(useCases.documents);
});
afterAll(() => useCases.close());

const retry = (principal: Principal, id: string) => handler.execute(new RetryDocument(principal, id));

async function failed(customId: string): Promise<string> {
  const id = await useCases.added(['a', 'b'], { customId });
  const event = { type: 'ProcessingFailed', contentVersion: 1, stage: 'extracting', code: 'x' } as const;
  await useCases.append(id, { ...event, payload: { message: 'no' } });
  return id;
}

test.each(['by id', 'by customId'])('one matching tag permits the retry %s', async (by) => {
  const id = await failed(by);
  expect(await retry(principalOf(['b', 'c']), by === 'by id' ? id : by)).toEqual(ok({ id, status: 'queued' }));
  expect((await useCases.eventTypes(id)).at(-1)).toBe('ProcessingRestarted');
});

test.each([
  ['no tag of the document', principalOf(['c']), 'forbidden', 'not_found'],
  ['only the permission to read its tags', principalOf(['a', 'b'], { writableTags: [] }), 'forbidden', 'forbidden'],
  ['another organization', OF_OTHER_ORGANIZATION, 'not_found', 'not_found'],
])('a principal with %s is refused, and nothing is appended', async (name, principal, refusal, byName) => {
  const id = await failed(name);
  const before = await useCases.head();
  expect(await retry(principal, id)).toEqual(err(refusal));
  expect(await retry(principal, name)).toEqual(err(byName));
  expect(await useCases.head()).toBe(before);
});

test('only a failed document is retried', async () => {
  expect(await retry(principalOf(['a']), await useCases.added(['a']))).toEqual(err('not_failed'));
});

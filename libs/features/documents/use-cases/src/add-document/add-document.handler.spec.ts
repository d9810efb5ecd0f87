import { jest } from '@jest/globals';
import { err, ok, readScope } from '#platform/kernel';
import { DeleteDocument } from '../delete-document/delete-document.command.ts';
import { DeleteDocumentHandler } from '../delete-document/delete-document.handler.ts';
import { newDocument, OWNER, openUseCases, principalOf, type UseCases } from '../testing.ts';
import type { NewDocument } from './add-document.command.ts';

const FORBIDDEN = err('forbidden');
const DAY_MS = 24 * 60 * 60 * 1000;

let useCases: UseCases;
beforeAll(async () => {
  useCases = await openUseCases();
});
afterAll(() => useCases.close());

/** Expects that a call is refused and appends nothing. */
async function expectForbidden(call: () => Promise<unknown>): Promise<void> {
  const before = await useCases.head();
  expect(await call()).toEqual(FORBIDDEN);
  expect(await useCases.head()).toBe(before);
}

async function remove(id: string): Promise<void> {
  const { deletion, erasure, deletions } = useCases;
  const handler = new DeleteDocumentHandler(deletion, erasure, deletions);
  await handler.execute(new DeleteDocument(OWNER, id));
}

describe('given a new document', () => {
  test('whose tags the caller may write, then it is queued', async () => {
    expect(await useCases.add(principalOf(['a', 'b']), newDocument(['a', 'b']))).toMatchObject(
      ok({ status: 'queued' }),
    );
  });

  test.each([
    ['of which the principal may write only some tags', principalOf(['a']), ['a', 'b']],
    ['of which the principal may write no tag', principalOf(['c']), ['a']],
    ['whose tag the principal may only read', principalOf(['a'], { writableTags: [] }), ['a']],
  ])('%s, then it is forbidden', async (_, principal, tags) => {
    await expectForbidden(() => useCases.add(principal, newDocument(tags)));
    await expectForbidden(() => useCases.add(principal, newDocument(tags, { customId: 'new' }), 'new'));
  });
});

describe('given a customId of another document', () => {
  const again = (tag: string, customId: string) => newDocument([tag], { customId, content: 'More.' });

  test('with the same tags in any order, then it is that document', async () => {
    const id = await useCases.added(['a', 'b'], { customId: 'one' });
    const document = newDocument(['b', 'a'], { customId: 'one', content: 'More.' });
    expect(await useCases.add(principalOf(['a', 'b']), document)).toMatchObject(ok({ id }));
    expect(await useCases.eventTypes(id)).toEqual(['DocumentAdded', 'ContentAppended']);
  });

  test.each([
    ['that has other tags as well', ['a', 'b'], principalOf(['a', 'b'])],
    ['that carries none of the tags', ['a'], principalOf(['b'])],
    ['that the principal may only read', ['a'], principalOf(['a', 'b'], { writableTags: ['b'] })],
  ])('%s, then a new document begins, with an Idempotency-Key or without', async (name, tags, principal) => {
    const customId = `owned ${name}`;
    const id = await useCases.added(tags, { customId });
    const added = await useCases.add(principal, again('b', customId), `key ${name}`);
    expect(added).toMatchObject(ok({ isNew: true }));
    const next = added.ok ? added.value.id : '';
    expect(await useCases.add(principal, again('b', customId))).toMatchObject(ok({ id: next, isNew: false }));
    expect(await useCases.documents.load(readScope(OWNER), next)).toMatchObject({ tags: ['b'] });
    expect(await useCases.eventTypes(id)).toEqual(['DocumentAdded']);
  });

  test('that was deleted before its claim was released, then a new document begins', async () => {
    const id = await useCases.added(['a'], { customId: 'deleted' });
    const { documents } = useCases;
    const claim = jest
      .spyOn(documents.claims, 'change')
      .mockResolvedValueOnce(ok({ state: { status: 'free', isShared: false }, revision: 1 }));
    await remove(id);
    claim.mockRestore();
    const added = await useCases.add(principalOf(['a']), again('a', 'deleted'));
    expect(added).toMatchObject(ok({ isNew: true }));
    expect(added).not.toMatchObject(ok({ id }));
  });

  test('of another organization, then it is a document of its own', async () => {
    const id = await useCases.added(['a'], { customId: 'everywhere' });
    const stranger = principalOf(['a'], { organization: 'organization-b' as never });
    const added = await useCases.add(stranger, again('a', 'everywhere'));
    expect(added).toMatchObject(ok({ status: 'queued' }));
    expect(added).not.toMatchObject(ok({ id }));
  });
});

describe('given an Idempotency-Key that another document was added with', () => {
  test('that the caller may write, then the answer is that of the first request', async () => {
    const document = newDocument(['a', 'b']);
    const first = await useCases.add(OWNER, document, 'key-1');
    expect(await useCases.add(principalOf(['a', 'b']), document, 'key-1')).toEqual(first);
  });

  test.each([
    ['that carries none of the tags', principalOf(['b'])],
    ['that the principal may only read', principalOf(['a', 'b'], { writableTags: ['b'] })],
  ])('%s, then it is forbidden, whether the request is the same or not', async (name, principal) => {
    await useCases.add(OWNER, newDocument(['a']), name);
    await expectForbidden(() => useCases.add(principal, newDocument(['b']), name));
    await expectForbidden(() => useCases.add(principal, newDocument(['b'], { content: 'Another.' }), name));
  });

  test('and that was deleted, then the tags of its last event count', async () => {
    const document = newDocument(['a']);
    const first = await useCases.add(OWNER, document, 'key-2');
    await remove(first.ok ? first.value.id : '');
    await expectForbidden(() => useCases.add(principalOf(['b']), newDocument(['b']), 'key-2'));
    expect(await useCases.add(principalOf(['a']), document, 'key-2')).toEqual(first);
  });

  test('more than a day ago, then the key is free', async () => {
    await useCases.add(OWNER, newDocument(['a']), 'key-3');
    useCases.clock.advance(DAY_MS + 1);
    expect(await useCases.add(principalOf(['b']), newDocument(['b']), 'key-3')).toMatchObject(ok({ status: 'queued' }));
  });
});

describe('given the retry of an add without a customId and without an Idempotency-Key', () => {
  const MINUTE_MS = 60_000;
  const details = { metadata: { n: 1 }, filepath: '/a', documentDate: '2026-01-02' };
  const first = (content: string) => newDocument(['r', 's'], { ...details, content });
  const retry = (document: NewDocument, principal = OWNER) => useCases.add(principal, document, null, true);

  test('of a request that was carried out, then the answer is its document', async () => {
    const added = await useCases.add(OWNER, first('Once.'));
    expect(await retry(first('Once.'))).toEqual(added);
  });

  test('of a document that has changed since, then the answer is this document', async () => {
    const added = await useCases.add(OWNER, first('Changed.'));
    const id = added.ok ? added.value.id : '';
    await useCases.append(id, { type: 'DetailsChanged', payload: { filepath: '/other' } });
    expect(await retry(first('Changed.'))).toEqual(added);
  });

  test.each<[string, Partial<NewDocument>]>([
    ['content', { content: 'Once!' }],
    ['tags', { tags: ['s', 'r'] }],
    ['metadata', { metadata: { n: 2 } }],
    ['no metadata', { metadata: null }],
    ['filepath', { filepath: null }],
    ['taskType', { taskType: 'superrag' }],
    ['documentDate', { documentDate: null }],
  ])('with other %s, then it is another document', async (name, other) => {
    const added = await useCases.add(OWNER, first(`Other ${name}.`));
    const again = await retry({ ...first(`Other ${name}.`), ...other });
    expect(again).not.toEqual(added);
  });

  test('of another key, after ten minutes, or of a deleted document, then it is another document', async () => {
    const added = await useCases.add(OWNER, first('Mine.'));
    const other = await retry(first('Mine.'), principalOf('all', { keyId: 'key-2' }));
    expect(other).not.toEqual(added);
    const removed = await useCases.add(OWNER, first('Removed.'));
    await remove(removed.ok ? removed.value.id : '');
    expect(await retry(first('Removed.'))).not.toEqual(removed);
    useCases.clock.advance(10 * MINUTE_MS + 1);
    expect(await retry(first('Mine.'))).not.toEqual(added);
  });

  test('of a request that never arrived, then it is carried out', async () => {
    expect(await retry(first('New.'))).toMatchObject(ok({ status: 'queued' }));
  });

  test('in another process, then the answer is its document, however much was added in between', async () => {
    const added = await useCases.add(OWNER, first('Elsewhere.'));
    await useCases.addAll(
      OWNER,
      Array.from({ length: 300 }, (_, i) => first(`In between: ${i}`)),
    );
    await useCases.project();
    useCases.restart();
    expect(await retry(first('Elsewhere.'))).toEqual(added);
    expect(await retry(first('Elsewhere!'))).not.toEqual(added);
    expect(await retry(first('Elsewhere.'), principalOf(['a']))).toEqual(err('forbidden'));
  });

  test('in another process, of a document with other tags by now, then the answer is its document', async () => {
    const added = await useCases.add(OWNER, first('Merged.'));
    await useCases.changeTags(added.ok ? added.value.id : '', ['t']);
    await useCases.project();
    useCases.restart();
    expect(await retry(first('Merged.'))).toEqual(added);
  });
});

test('given views that are behind, then the retry of an add in another process is found in the log', async () => {
  const behind = await openUseCases();
  try {
    const added = await behind.add(OWNER, newDocument(['a']));
    behind.delayViews();
    behind.restart();
    expect(await behind.add(OWNER, newDocument(['a']), null, true)).toEqual(added);
    expect(await behind.add(principalOf('all', { keyId: 'key-2' }), newDocument(['a']), null, true)).not.toEqual(added);
  } finally {
    await behind.close();
  }
});

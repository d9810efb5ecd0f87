import { jest } from '@jest/globals';
import { customIdStream } from '#features/documents';
import { err, MnemeError, ok, type Principal, readScope } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import { DeleteDocument } from '../delete-document/delete-document.command.ts';
import { DeleteDocumentHandler } from '../delete-document/delete-document.handler.ts';
import {
  newDocument,
  OF_OTHER_ORGANIZATION,
  ORGANIZATION,
  OWNER,
  openUseCases,
  principalOf,
  type UseCases,
} from '../testing.ts';
import { type DocumentUpdate, UpdateDocument } from './update-document.command.ts';
import { UpdateDocumentHandler } from './update-document.handler.ts';

let useCases: UseCases;
let handler: UpdateDocumentHandler;
beforeAll(async () => {
  useCases = await openUseCases();
  handler = handlerOf(useCases);
});
afterAll(() => useCases.close());

function handlerOf({ documents, texts, recorder, erasure, admission, clock }: UseCases): UpdateDocumentHandler {
  return new UpdateDocumentHandler(documents, texts, recorder, erasure, admission, clock);
}

const NOTHING: DocumentUpdate = {
  ...{ content: null, metadata: null, customId: null, tags: null },
  ...{ filepath: null, taskType: null, documentDate: null },
};
const update = (principal: Principal, id: string, changes: Partial<DocumentUpdate>) =>
  handler.execute(new UpdateDocument(principal, id, { ...NOTHING, ...changes }));
const find = (name: string) => useCases.documents.find(readScope(OWNER), name);
const MINUTE_MS = 60_000;

test.each([{ tags: ['b'] }, { tags: ['b'], customId: 'new' }, { content: 'The cup is red.' }])(
  'a change to %j does not read the views',
  async (changes) => {
    const suspended = await openUseCases();
    const id = await suspended.added(['a']);
    const called = suspended.suspendViews();
    const command = new UpdateDocument(OWNER, id, { ...NOTHING, ...changes });
    expect(await handlerOf(suspended).execute(command)).toEqual(ok({ id, status: 'queued' }));
    expect(called).toEqual([]);
    await suspended.close();
  },
);

test.each(['by id', 'by customId'])('one matching tag permits the update %s', async (by) => {
  const id = await useCases.added(['a', 'b'], { customId: by });
  const updated = await update(principalOf(['b', 'c']), by === 'by id' ? id : by, { filepath: '/x' });
  expect(updated).toEqual(ok({ id, status: 'queued' }));
  expect(await useCases.eventTypes(id)).toEqual(['DocumentAdded', 'DetailsChanged']);
});

test.each([
  ['no tag of the document', principalOf(['c']), {}, 'not_found'],
  ['only the permission to read its tags', principalOf(['a', 'b'], { writableTags: [] }), {}, 'forbidden'],
  ['another organization', OF_OTHER_ORGANIZATION, {}, 'not_found'],
  ['no permission for a tag that it adds', principalOf(['a']), { tags: ['a', 'b', 'c'] }, 'forbidden'],
  ['no permission for a tag that it removes', principalOf(['a']), { tags: ['a'] }, 'forbidden'],
])('a principal with %s is refused, and the document and its name stay', async (name, principal, changes, refusal) => {
  const id = await useCases.added(['a', 'b'], { customId: name });
  expect(await update(principal, name, { customId: `not ${name}`, ...changes })).toEqual(err(refusal));
  expect(await useCases.eventTypes(id)).toEqual(['DocumentAdded']);
  expect((await useCases.add(OWNER, newDocument(['x'], { customId: `not ${name}` }))).ok).toBe(true);
  expect(await find(name)).toMatchObject(ok({ id }));
});

describe('another customId', () => {
  test('names the document at once, and the former one is free', async () => {
    const id = await useCases.added(['a'], { customId: 'former' });
    expect(await update(OWNER, 'former', { customId: 'present' })).toMatchObject(ok({ id }));
    expect(await find('present')).toMatchObject(ok({ id, customId: 'present' }));
    expect(await find('former')).toEqual(err('not_found'));
    const other = await useCases.added(['a'], { customId: 'former' });
    expect(other).not.toBe(id);
    expect(await find('former')).toMatchObject(ok({ id: other }));
  });

  test('that another document has is refused, and its owner may send its own again', async () => {
    const owner = await useCases.added(['a'], { customId: 'taken' });
    const id = await useCases.added(['a']);
    expect(await update(OWNER, id, { customId: 'taken' })).toEqual(err('custom_id_taken'));
    expect(await update(OWNER, owner, { customId: 'taken' })).toMatchObject(ok({ id: owner }));
    expect(await find('taken')).toMatchObject(ok({ id: owner }));
  });

  test('of a deleted document is free', async () => {
    const { deletion, erasure, deletions } = useCases;
    const deleted = await useCases.added(['a'], { customId: 'was deleted' });
    const removal = new DeleteDocument(OWNER, deleted);
    await new DeleteDocumentHandler(deletion, erasure, deletions).execute(removal);
    const id = await useCases.added(['a']);
    expect(await update(OWNER, id, { customId: 'was deleted' })).toMatchObject(ok({ id }));
  });

  test('is free at once if the log refuses the update, as during a merge of its tag', async () => {
    class TagMerging extends MnemeError {
      override readonly kind = undefined;
      override readonly code = 'tag_merging';
    }
    const id = await useCases.added(['a'], { customId: 'kept' });
    const refusal = { ok: false, conflict: null, error: new TagMerging('being merged') } as const;
    jest.spyOn(useCases.store, 'appendTogether').mockResolvedValueOnce([refusal]);
    expect(await update(OWNER, id, { customId: 'refused' })).toEqual(err('tag_merging'));
    expect(await find('kept')).toMatchObject(ok({ id }));
    const other = await useCases.added(['a']);
    expect(await update(OWNER, other, { customId: 'refused' })).toMatchObject(ok({ id: other }));
  });

  test('given to two documents at once goes to one of them', async () => {
    const ids = [await useCases.added(['a']), await useCases.added(['a'])];
    const updated = await Promise.all(ids.map((id) => update(OWNER, id, { customId: 'wanted by two' })));
    expect(updated.map(({ ok }) => ok).sort()).toEqual([false, true]);
  });

  test('that was reserved by an update which never ended is free after a minute', async () => {
    const stuck = await useCases.added(['a']);
    const claim = { documentId: stuck, fingerprint: null };
    const stream = customIdStream(ORGANIZATION, 'stuck');
    await useCases.documents.claims.take(OWNER, stream, systemCause(), claim, () => false);
    const id = await useCases.added(['a']);
    expect(await find('stuck')).toEqual(err('not_found'));
    expect(await update(OWNER, id, { customId: 'stuck' })).toEqual(err('custom_id_taken'));
    useCases.clock.advance(MINUTE_MS + 1);
    expect(await update(OWNER, id, { customId: 'stuck' })).toMatchObject(ok({ id }));
  });
});

test('two updates at once both take effect, field by field', async () => {
  const id = await useCases.added(['a']);
  const updated = await Promise.all([
    update(OWNER, id, { filepath: '/one', metadata: { n: 1 } }),
    update(OWNER, id, { filepath: '/two', documentDate: '2026-01-02' }),
  ]);
  expect(updated.every(({ ok }) => ok)).toBe(true);
  expect(await find(id)).toMatchObject(ok({ filepath: '/two', metadata: { n: 1 }, documentDate: '2026-01-02' }));
});

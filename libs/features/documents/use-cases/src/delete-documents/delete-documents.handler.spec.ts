import type { Selection } from '#features/documents';
import { runDeletions } from '#features/documents/clean-up';
import { err, ok, type Principal } from '#platform/kernel';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { OF_OTHER_ORGANIZATION, OWNER, openUseCases, principalOf, type UseCases } from '../testing.ts';
import { DeleteDocuments } from './delete-documents.command.ts';
import { DeleteDocumentsHandler } from './delete-documents.handler.ts';

let useCases: UseCases;
let handler: DeleteDocumentsHandler;
let running: Promise<void>;
const stop = new AbortController();
beforeAll(async () => {
  useCases = await openUseCases();
  handler = new DeleteDocumentsHandler(useCases.bulkDeletions);
  running = runDeletions({ ...useCases.runOptions, signal: stop.signal });
});
afterAll(async () => {
  stop.abort();
  await running;
  await useCases.close();
});

const remove = (principal: Principal, selection: Selection) =>
  handler.execute(new DeleteDocuments(principal, selection));
const isLive = async (id: string) => !(await useCases.eventTypes(id)).includes('DocumentDeleted');

test('ids and customIds are deleted once each, unknown and forbidden ones are errors', async () => {
  const [first, second, other] = [
    await useCases.added(['a']),
    await useCases.added(['a'], { customId: 'named' }),
    await useCases.added(['b']),
  ];
  const ids = ['nobody', first, 'named', first, second, other];
  const errors = [
    { id: other, error: 'forbidden' },
    { id: 'nobody', error: 'not_found' },
  ].sort((a, b) => (a.id < b.id ? -1 : 1));
  expect(await remove(principalOf(['a']), { by: 'ids', ids })).toEqual(ok({ deletedCount: 2, errors }));
  expect([await isLive(first), await isLive(second), await isLive(other)]).toEqual([false, false, true]);
});

test('documents of another organization are not found', async () => {
  const id = await useCases.added(['a']);
  const errors = [{ id, error: 'not_found' }];
  expect(await remove(OF_OTHER_ORGANIZATION, { by: 'ids', ids: [id] })).toEqual(ok({ deletedCount: 0, errors }));
  expect(await isLive(id)).toBe(true);
});

test.each<[string, Principal, Selection]>([
  ['a tag that the key may not write', principalOf(['a']), { by: 'tags', tags: ['a', 'c'] }],
  ['a tag that the key may only read', principalOf(['a'], { writableTags: [] }), { by: 'tags', tags: ['a'] }],
  [
    'a filepath, with a key that may write no tag',
    principalOf(['a'], { writableTags: [] }),
    { by: 'filepath', filepath: '/' },
  ],
  ['everything, with a key for some tags', principalOf(['a']), { by: 'all' }],
  ['a tag itself that the key may only read', principalOf(['a'], { writableTags: [] }), { by: 'tag', tag: 'a' }],
  ['a reset, with a key for some tags', principalOf(['a']), { by: 'reset' }],
])('%s is refused, and nothing is recorded', async (_, principal, selection) => {
  // A request is answered before its deletion is closed.
  await until(
    () => useCases.deletionLog.open(),
    ({ length }) => length === 0,
  );
  const before = await useCases.head();
  expect(await remove(principal, selection)).toEqual(err('forbidden'));
  expect(await useCases.head()).toBe(before);
});

test('by tag: every document that carries one of them, also if it carries others', async () => {
  const [one, both, other] = await Promise.all([['t1'], ['x', 't2'], ['x']].map((tags) => useCases.added(tags)));
  await useCases.project();
  expect(await remove(OWNER, { by: 'tags', tags: ['t1', 't2'] })).toEqual(ok({ deletedCount: 2, errors: [] }));
  expect([await isLive(one!), await isLive(both!), await isLive(other!)]).toEqual([false, false, true]);
});

test('by filepath: a prefix ends in /, and a key for some tags deletes only documents with these', async () => {
  const [inside, elsewhere, foreign] = [
    await useCases.added(['p'], { filepath: '/notes/a.md' }),
    await useCases.added(['p'], { filepath: '/notes' }),
    await useCases.added(['q'], { filepath: '/notes/b.md' }),
  ];
  await useCases.project();
  const selection = { by: 'filepath', filepath: '/notes/' } as const;
  expect(await remove(principalOf(['p']), selection)).toEqual(ok({ deletedCount: 1, errors: [] }));
  expect([await isLive(inside), await isLive(elsewhere), await isLive(foreign)]).toEqual([false, true, true]);
  expect(await remove(OWNER, selection)).toEqual(ok({ deletedCount: 1, errors: [] }));
});

test.each<['by ids' | 'by tags']>([['by ids'], ['by tags']])(
  '%s: while blobs cannot be removed, the answer is an error, and all are deleted',
  async (by) => {
    const ids = await Promise.all([useCases.added([by]), useCases.added([by])]);
    await useCases.project();
    useCases.blobs.deletePrefix = async () => {
      throw new Error('the folder has wrong permissions');
    };
    const selection: Selection = by === 'by ids' ? { by: 'ids', ids } : { by: 'tags', tags: [by] };
    try {
      const totals = { deleted: 2, unerased: 2 };
      await expect(remove(OWNER, selection)).rejects.toMatchObject({
        ...{ kind: 'transient', code: 'erasure_delayed', ...totals },
      });
    } finally {
      Reflect.deleteProperty(useCases.blobs, 'deletePrefix');
    }
    for (const id of ids) expect(await isLive(id)).toBe(false);
    const again = await useCases.added([by]);
    await useCases.project();
    expect(await remove(OWNER, { by: 'ids', ids: [again] })).toEqual(ok({ deletedCount: 1, errors: [] }));
  },
);

test('when the server stops, the wait ends with a transient error', async () => {
  const other = new DeleteDocumentsHandler(useCases.bulkDeletions);
  other.onModuleDestroy();
  const removing = other.execute(new DeleteDocuments(OWNER, { by: 'ids', ids: ['x'] }));
  await expect(removing).rejects.toMatchObject({ kind: 'transient', code: 'deletion_continues' });
});

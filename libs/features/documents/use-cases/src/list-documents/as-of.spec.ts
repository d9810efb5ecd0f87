import type { Filter } from '#features/search';
import type { TagSelection } from '#platform/kernel';
import { TooManyChangedError } from '#read-side/as-of';
import { OWNER, openUseCases, principalOf, type UseCases } from '../testing.ts';
import { ListDocumentsHandler } from './list-documents.handler.ts';
import { type DocumentListOptions, ListDocuments } from './list-documents.query.ts';

let useCases: UseCases;
let handler: ListDocumentsHandler;
beforeEach(async () => {
  useCases = await openUseCases();
  handler = new ListDocumentsHandler(useCases.currentViews, useCases.past, useCases.contents);
});
afterEach(() => useCases.close());

const ALL: DocumentListOptions = {
  ...{ filter: null, filepath: null, stages: null, sources: null, customIds: null, includeContent: true },
  ...{ sort: 'createdAt', order: 'desc', page: 1, limit: 10, asOf: null },
};
const KIND: Filter = {
  ...{ kind: 'equals', key: 'kind', value: 'note', number: null, ignoreCase: false, negate: false },
};
const QUERIES: readonly (readonly [TagSelection, Partial<DocumentListOptions>])[] = [
  ['all', {}],
  ['all', { order: 'asc' }],
  ['all', { sort: 'updatedAt' }],
  [['a'], { sort: 'updatedAt', order: 'asc' }],
  [['a', 'b'], { filter: KIND }],
  ['all', { filepath: '/a/' }],
  ['all', { customIds: ['second'] }],
  ['all', { stages: ['done'] }],
  ['all', { sources: ['api'] }],
];

const named = (tags: TagSelection) => (tags === 'all' ? [] : tags);
const asOf = (at: number, tags: TagSelection, options: Partial<DocumentListOptions>, principal = OWNER) =>
  handler.execute(new ListDocuments(principal, named(tags), { ...ALL, ...options, asOf: at }));

/** Documents of two tags, a second apart. */
async function added(): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const [i, tags] of [['a'], ['b'], ['a', 'b'], ['a'], ['b'], ['a']].entries()) {
    useCases.clock.advance(1_000);
    const details = { metadata: { kind: i % 2 === 0 ? 'note' : 'chat' }, filepath: i < 3 ? '/a/x.md' : null };
    ids.push(await useCases.added(tags, { ...details, customId: i === 1 ? 'second' : null, content: `Text ${i}.` }));
  }
  return ids;
}

test('pages are those of the time, whatever has changed since', async () => {
  const [first = '', second = '', , fourth = '', fifth = ''] = await added();
  await useCases.append(first, { type: 'DetailsChanged', payload: { metadata: { kind: 'note', n: 1 } } });
  await useCases.project();
  const at = useCases.clock.now();
  const before = await Promise.all(
    QUERIES.map(([tags, options]) => handler.execute(new ListDocuments(OWNER, named(tags), { ...ALL, ...options }))),
  );
  useCases.clock.advance(1_000);
  await useCases.changeTags(second, ['a']);
  await useCases.append(fourth, {
    ...{ type: 'ContentReplaced', contentVersion: 2 },
    payload: { content: { text: { inline: 'Another text.' } } },
  });
  await useCases.append(fifth, {
    type: 'DetailsChanged',
    payload: { metadata: { kind: 'note' }, filepath: '/a/y.md' },
  });
  await useCases.added(['a'], { content: 'Added later.' });
  await useCases.project();
  for (const [i, [tags, options]] of QUERIES.entries()) {
    const wanted = before[i] as (typeof before)[number];
    const rows = wanted.documents.map(({ row: { revision: _, ...row }, content }) => ({ row, content }));
    const whole = await asOf(at, tags, options);
    expect(whole.documents.map(({ row: { revision: _, ...row }, content }) => ({ row, content }))).toEqual(rows);
    expect(whole.total).toBe(wanted.total);
    for (let page = 1; page <= 4; page++) {
      const { documents, total } = await asOf(at, tags, { ...options, page, limit: 2 });
      const ids = rows.slice(2 * (page - 1), 2 * page).map(({ row: { id } }) => id);
      expect([documents.map(({ row: { id } }) => id), total]).toEqual([ids, wanted.total]);
    }
  }
  const now = await handler.execute(new ListDocuments(OWNER, [], ALL));
  expect((await asOf(useCases.clock.now(), 'all', {})).total).toBe(now.total);
  expect(await asOf(at - 60_000, 'all', {})).toEqual({ documents: [], total: 0 });
});

test('the rights of today decide, the tags of then select', async () => {
  const [first = '', second = '', third = ''] = await added();
  await useCases.project();
  const at = useCases.clock.now();
  useCases.clock.advance(1_000);
  await useCases.changeTags(first, ['c']);
  await useCases.changeTags(second, ['a']);
  await useCases.project();
  const ids = async (rights: readonly string[], tags: TagSelection) =>
    (await asOf(at, tags, { limit: 100 }, principalOf(rights))).documents.map(({ row: { id } }) => id);
  expect(await ids(['c'], 'all')).toEqual([first]);
  expect(await ids(['a', 'c'], ['a'])).toContain(first);
  expect(await ids(['a', 'c'], ['c'])).toEqual([]);
  expect(await ids(['b'], ['b'])).not.toContain(second);
  expect(await ids(['a', 'b'], ['b'])).toEqual(expect.arrayContaining([second, third]));
  expect(await ids(['a'], ['a'])).not.toContain(first);
});

test('too many changes are refused', async () => {
  const list = { rows: [], total: 20_001 };
  const views = { read: async () => ({ list: async () => list }) } as never;
  const tooLong = new ListDocumentsHandler(views, useCases.past, useCases.contents);
  const query = new ListDocuments(OWNER, [], { ...ALL, asOf: useCases.clock.now() });
  await expect(tooLong.execute(query)).rejects.toThrow(TooManyChangedError);
});

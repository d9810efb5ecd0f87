import { parseFilter } from '#features/search';
import type { OrganizationId } from '#platform/kernel';
import type { DocumentRow, UnitSet } from './documents.ts';
import { membersOf } from './members.ts';
import type { ViewsReader } from './port.ts';
import type { MemoryListQuery } from './queries.ts';
import { statementOf, textHash } from './statements.ts';
import { anyDocument, type OpenedViews, removal, row, sharedViews, units, upsert } from './testing.ts';

const NOW = 1_767_322_800_000;

const said = (...texts: readonly string[]): UnitSet => ({
  units: units('memory', texts),
  header: '',
  vectors: null,
});

const by = (speaker: string, ...texts: readonly string[]): UnitSet => {
  const set = said(...texts);
  return { ...set, units: set.units.map((unit) => ({ ...unit, speaker })) };
};

/** What every store of the views must do with memories that say the same. @param open as of `viewsContract` */
export function repeatsContract(name: string, open: () => Promise<OpenedViews>): void {
  describe(`memories that say the same, in the views: ${name}`, () => {
    let reader: ViewsReader;
    let organization: OrganizationId;
    const apply = sharedViews(open, (opened, own) => {
      ({ reader } = opened);
      organization = own;
    });

    /** A document that was created this many milliseconds after others. */
    const document = (after: number, changes: Partial<DocumentRow> = {}): DocumentRow =>
      row(organization, { createdAt: NOW + after, ...changes });
    const direct = (
      after: number,
      text: string,
      changes: Partial<DocumentRow> = {},
      inactiveFrom: number | null = null,
    ) =>
      document(after, {
        ...{ type: 'memory', ...changes },
        memory: {
          ...{ version: 1, isStatic: false, isForgotten: inactiveFrom === 0, forgetAfter: null, forgetReason: null },
          ...{ temporalContext: null, inactiveFrom, expiresAt: null, textHash: textHash(organization, text) },
        },
      });
    const list = async (more: Partial<MemoryListQuery> = {}, tags: 'all' | readonly string[] = 'all') => {
      const { memories, total } = await reader.memories({
        ...{ ...anyDocument(organization, tags), cutAt: NOW, activeAt: NOW, isGrouped: true },
        ...{ sort: 'createdAt', order: 'asc', offset: 0, limit: 100, ...more },
      });
      return { texts: memories.map(({ unit }) => unit.text), ids: memories.map((one) => one.document.id), total };
    };

    it('are listed once, by the one that was created first, with exact totals and pages', async () => {
      const [one, two] = [document(1), document(2)];
      await apply(
        upsert(two, said('It rains.', 'The heron flies!', 'It is late')),
        upsert(one, said('the  heron flies', 'Is it late?')),
        upsert(direct(3, 'it rains'), said('it rains')),
      );
      const texts = ['the  heron flies', 'Is it late?', 'It rains.', 'It is late'];
      expect(await list()).toMatchObject({ texts, total: 4 });
      expect(await list({ limit: 2 })).toMatchObject({ texts: texts.slice(0, 2), total: 4 });
      expect(await list({ limit: 2, offset: 2 })).toMatchObject({ texts: texts.slice(2), total: 4 });
      expect(await list({ limit: 2, offset: 3 })).toMatchObject({ texts: texts.slice(3), total: 4 });
      const newest = ['It is late', 'It rains.', 'Is it late?', 'the  heron flies'];
      expect(await list({ order: 'desc' })).toMatchObject({ texts: newest, total: 4 });
      const { isGrouped: _, ...each } = { isGrouped: true, ...anyDocument(organization), cutAt: NOW };
      const all = await reader.memories({ ...each, sort: 'createdAt', order: 'asc', offset: 0, limit: 100 });
      expect([all.memories.length, all.total]).toEqual([6, 6]);
    });

    it('are listed once within a document', async () => {
      await apply(upsert(document(1), said('Yes.', 'It rains.', 'yes', 'YES!')));
      expect(await list()).toMatchObject({ texts: ['Yes.', 'It rains.'], total: 2 });
      expect(await list({ order: 'desc', limit: 1 })).toMatchObject({ texts: ['It rains.'], total: 2 });
      expect(await list({ order: 'desc', offset: 1 })).toMatchObject({ texts: ['Yes.'], total: 2 });
    });

    it('are others with other tags, of another speaker, or of another date', async () => {
      await apply(
        upsert(document(1, { tags: ['a'] }), said('Yes.')),
        upsert(document(2, { tags: ['a', 'b'] }), said('Yes.')),
        upsert(document(3, { tags: ['b', 'a'] }), said('yes')),
        upsert(document(4, { tags: ['a'] }), by('Ann', 'Yes.')),
        upsert(document(5, { tags: ['a'] }), by('Ann', 'Yes.')),
        upsert(document(6, { tags: ['a'], documentDate: '2024-05-02' }), said('It rained yesterday.')),
        upsert(document(7, { tags: ['a'], documentDate: '2024-05-03' }), said('It rained yesterday.')),
        upsert(document(8, { tags: ['a'], documentDate: '2024-05-03T05:00:00Z' }), said('it rained yesterday')),
      );
      const yesterday = ['It rained yesterday.', 'It rained yesterday.'];
      expect(await list({}, ['a'])).toMatchObject({ texts: ['Yes.', 'Yes.', 'Yes.', ...yesterday], total: 5 });
      expect(await list({}, ['b'])).toMatchObject({ texts: ['Yes.'], total: 1 });
      expect(await list({}, ['c'])).toMatchObject({ texts: [], total: 0 });
    });

    it('are listed by the next one when the first one is edited, deleted, forgotten or moved to other tags', async () => {
      const [one, two, three] = [document(1), document(2), document(3)];
      const four = direct(4, 'it rains');
      const next = (before: DocumentRow, changes: Partial<DocumentRow> = {}) => ({
        ...{ ...before, ...changes },
        revision: before.revision + 1,
      });
      await apply(...[one, two, three, four].map((each) => upsert(each, said('It rains.'))));
      expect(await list()).toMatchObject({ ids: [one.id], total: 1 });
      await apply(upsert(next(one), said('It snows.')));
      expect(await list()).toMatchObject({ ids: [one.id, two.id], texts: ['It snows.', 'It rains.'], total: 2 });
      await apply(removal(next(two)));
      expect(await list()).toMatchObject({ ids: [one.id, three.id], total: 2 });
      await apply(upsert(next(three, { tags: ['other'] })));
      expect(await list({}, ['tag'])).toMatchObject({ ids: [one.id, four.id], total: 2 });
      expect(await list({}, ['other'])).toMatchObject({ ids: [three.id], total: 1 });
      await apply(upsert(next(next(one)), said('Now it rains.', 'It rains')));
      expect(await list({}, ['tag'])).toMatchObject({ texts: ['Now it rains.', 'It rains'], total: 2 });
      await apply(upsert(next(next(three), { tags: ['tag'] })));
      expect(await list()).toMatchObject({ texts: ['Now it rains.', 'It rains'], total: 2 });
      const left = { leftOut: [['memory', 1, 0] as const], pieces: [] };
      await apply(upsert(next(next(next(one)), { cuts: left })));
      expect(await list()).toMatchObject({ ids: [one.id, three.id], total: 2 });
    });

    it('do not count when they are forgotten or expired', async () => {
      const [first, second] = [direct(1, 'yes', {}, NOW), direct(2, 'yes')];
      await apply(
        upsert(first, said('Yes.')),
        upsert(second, said('Yes.')),
        upsert(direct(3, 'yes', {}, 0), said('Yes.')),
        upsert(direct(4, 'yes', {}, 0), said('Yes.')),
      );
      expect(await list({ cutAt: NOW - 1, activeAt: NOW - 1 })).toMatchObject({ ids: [first.id], total: 1 });
      expect(await list()).toMatchObject({ ids: [second.id], total: 1 });
      const { activeAt: _, ...all } = { activeAt: 0, ...anyDocument(organization) };
      const every = await reader.memories({
        ...{ ...all, cutAt: NOW, isGrouped: true, sort: 'createdAt', order: 'asc', offset: 0, limit: 100 },
      });
      expect([every.memories.length, every.total]).toEqual([4, 4]);
    });

    it('are compared among those that a filter selects', async () => {
      const [one, two] = [document(1, { metadata: { n: 1 } }), document(2, { metadata: { n: 2 } })];
      await apply(
        upsert(one, said('Yes.')),
        upsert(two, said('yes')),
        upsert(document(3, { metadata: { n: 2 } }), said('Yes')),
      );
      const parsed = parseFilter({ AND: [{ key: 'n', value: '2' }] });
      if (!parsed.ok) throw new Error(JSON.stringify(parsed));
      expect(await list({ filter: parsed.value })).toMatchObject({ ids: [two.id], total: 1 });
    });

    it('are told with what says the same', async () => {
      const [one, two] = [document(1), document(2, { cuts: { leftOut: [['memory', 0, 0]], pieces: [] } })];
      const [active, inactive] = [direct(3, 'it rains'), direct(4, 'it rains', {}, 0)];
      await apply(
        upsert(one, said('It rains.', 'It snows.')),
        upsert(two, said('It rains!')),
        ...[active, inactive].map((each) => upsert(each, said('it rains'))),
        upsert(document(5, { tags: ['other'] }), said('It rains.')),
      );
      const members = await membersOf(
        reader,
        { organization, tags: ['tag'] },
        ['IT RAINS', 'it rains.', 'unknown'],
        NOW,
      );
      const statement = statementOf({ text: 'it rains', speaker: null, document: one });
      expect(members.every((one) => one.statement === statement)).toBe(true);
      const shown = members.map(({ documentId, createdAt, isActive }) => [documentId, createdAt - NOW, isActive]);
      expect(shown.sort((a, b) => Number(a[1]) - Number(b[1]))).toEqual([
        [one.id, 1, true],
        [null, 3, true],
        [null, 4, false],
      ]);
      expect(await membersOf(reader, { organization, tags: 'all' }, [], NOW)).toEqual([]);
    });
  });
}

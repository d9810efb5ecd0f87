import type { OrganizationId } from '#platform/kernel';
import type { DocumentChange, DocumentRow, UnitSet } from './documents.ts';
import type { ViewsReader } from './port.ts';
import type { UnitSearchQuery } from './queries.ts';
import {
  anyDocument,
  direction,
  embedded,
  listOf,
  type OpenedViews,
  removal,
  row,
  SPACE,
  searchFor,
  sharedViews,
  unitSet,
  upsert,
} from './testing.ts';

const [MONDAY, TUESDAY, FRIDAY, NOW] = [1_000, 2_000, 3_000, 9_000] as const;

/** What every store of the views must do with units that have left their documents. @param open as of `viewsContract` */
export function formerUnitsContract(name: string, open: () => Promise<OpenedViews>): void {
  describe(`units that have left their documents: ${name}`, () => {
    let reader: ViewsReader;
    let organization: OrganizationId;
    const apply = sharedViews(open, (opened, own) => {
      ({ reader } = opened);
      organization = own;
    });

    type Upsert = DocumentChange & { readonly kind: 'upsert' };

    const document = (changes: Partial<DocumentRow> = {}) =>
      row(organization, { stage: 'done', createdAt: MONDAY, updatedAt: FRIDAY, hasFormers: true, ...changes });
    const idOf = (of: DocumentRow, place: number) => `${of.id}.${place}`.slice(-22).padStart(22, '0');
    /** The row of units that were there for a time. */
    function left(of: DocumentRow, units: UnitSet, from: number, until: number | null, place = 0): Upsert {
      const { hasFormers: _, ...shown } = of;
      const piece = { documentId: of.id, type: of.type, ordinal: 0, from, until, isFormer: true as const };
      return upsert(
        { ...shown, id: idOf(of, place), type: 'former', updatedAt: until ?? of.updatedAt, piece },
        units,
      ) as Upsert;
    }
    const found = async (more: Partial<UnitSearchQuery> = {}, tags: 'all' | readonly string[] = 'all') => {
      const hits = await reader.search(searchFor('heron', anyDocument(organization, tags), more));
      return hits.map(({ unit }) => unit.text).sort();
    };

    it('are found as of a time when they were there, as those of their document', async () => {
      const one = document();
      const bergen = unitSet('heron in Bergen');
      await apply(
        upsert(one, unitSet('heron in Bodo')),
        left(one, unitSet('heron in Oslo', 'a heron'), MONDAY, TUESDAY, 0),
        left(one, bergen, TUESDAY, null, 1),
      );
      expect(await found()).toEqual(['heron in Bodo']);
      expect(await found({ asOf: MONDAY - 1 })).toEqual([]);
      expect(await found({ asOf: MONDAY })).toEqual(['a heron', 'heron in Bodo', 'heron in Oslo']);
      expect(await found({ asOf: TUESDAY })).toEqual(['heron in Bergen', 'heron in Bodo']);
      expect(await found({ asOf: NOW, holds: 'documents' })).toEqual(['heron in Bergen', 'heron in Bodo']);
      expect(await found({ asOf: TUESDAY, holds: 'memories' })).toEqual([]);
      expect(await found({ asOf: MONDAY, kind: 'chunk', documentId: one.id })).toHaveLength(3);
      expect(await found({ asOf: MONDAY, documentId: 'another' })).toEqual([]);
      expect(await found({ validAt: NOW })).toEqual(['heron in Bodo']);
      const hits = await reader.search(searchFor('Bergen', anyDocument(organization), { asOf: TUESDAY }));
      expect(hits).toMatchObject([{ document: { id: one.id, type: one.type }, hasLeft: true }]);
      expect(hits[0]?.unit.id).toBe(bergen.units.find(({ kind }) => kind === 'memory')?.id);
    });

    it('are found by their vectors', async () => {
      const one = document({ vectorSpaces: [SPACE] });
      await apply(upsert(one, embedded(['heron now'], [1])), left(one, embedded(['heron then'], [0]), MONDAY, TUESDAY));
      const vectors = [{ space: SPACE, values: direction(0) }];
      const [best] = await reader.search(searchFor('unlike', anyDocument(organization), { vectors, asOf: MONDAY }));
      expect(best).toMatchObject({ unit: { text: 'heron then' }, document: { id: one.id } });
      expect(best?.evidence.cosineBare).toBeGreaterThan(0.9);
    });

    it('are in no other answer', async () => {
      const one = document({ tags: ['only'] });
      const [present, former] = [unitSet('heron'), unitSet('heron in Oslo', 'two')];
      await apply(upsert(one, present), left(one, former, MONDAY, NOW));
      expect(await reader.totals({ organization, tags: 'all' })).toEqual({ documents: 1, memories: 1 });
      expect(await reader.tags({ organization, tags: 'all' }, NOW)).toMatchObject([
        { documents: 1, memories: 1, createdAt: MONDAY },
      ]);
      for (const holds of ['documents', 'memories', 'both', 'sources'] as const) {
        const { rows, total } = await reader.list(listOf(anyDocument(organization), { holds }));
        expect([rows.filter(({ type }) => type === 'former'), total]).toEqual([[], holds === 'memories' ? 0 : 1]);
      }
      const page = { sort: 'createdAt', order: 'asc', offset: 0, limit: 10 } as const;
      for (const time of [{}, { asOf: FRIDAY }, { validAt: NOW }]) {
        const query = { ...anyDocument(organization), ...time };
        expect((await reader.memories({ ...query, ...page })).memories.map(({ unit }) => unit.text)).toEqual(['heron']);
        expect((await reader.newestMemories(query, 10)).map(({ unit }) => unit.text)).toEqual(['heron']);
      }
      const ids = [...present.units, ...former.units].map(({ id }) => id);
      const passages = await reader.passages({ organization, tags: 'all' }, { ids });
      expect(passages.map(({ document: { id } }) => id)).toEqual([one.id]);
      expect(await reader.unfinished({ after: null, limit: 10 })).toEqual([]);
    });

    it('are left out, and shown as what remains of them', async () => {
      const one = document();
      const former = left(one, unitSet('heron and egret'), MONDAY, TUESDAY);
      const cut = (revision: number, at: number): Upsert => {
        const id = idOf(one, 7);
        const piece = { ...former.row.piece, unitId: 'whole', ordinal: 4, cut: { from: at, until: at + 9 } };
        const remains = { ...former.row, id, revision, piece: piece as NonNullable<DocumentRow['piece']> };
        const named = [id, `${revision}`, 'chunk', 0, MONDAY, TUESDAY] as const;
        const cuts = { leftOut: [['chunk', 0, at] as const], pieces: [named] };
        const { units: _, ...change } = former;
        return {
          ...change,
          row: { ...former.row, revision, cuts },
          pieces: [{ row: remains, units: unitSet('heron') }],
        };
      };
      await apply(upsert(one, unitSet('nothing')), former);
      const chunks = (cutAt: number) => found({ asOf: MONDAY, kind: 'chunk', cutAt });
      const whole = await chunks(NOW);
      expect(whole).toEqual(['heron and egret']);
      await apply(cut(one.revision + 1, NOW));
      expect([await chunks(NOW - 1), await chunks(NOW), await chunks(NOW + 9)]).toEqual([whole, ['heron'], []]);
      await apply(cut(one.revision + 2, 0));
      expect([await chunks(8), await chunks(9)]).toEqual([['heron'], []]);
      const asked = { asOf: MONDAY, kind: 'chunk', cutAt: 8 } as const;
      expect(await found({ ...asked, documentId: one.id })).toEqual(['heron']);
      expect(await found({ ...asked, asOf: TUESDAY })).toEqual([]);
      const hits = await reader.search(searchFor('heron', anyDocument(organization), asked));
      expect(hits).toMatchObject([{ unit: { id: 'whole', ordinal: 4 }, document: { id: one.id } }]);
      await apply({ ...former, row: { ...former.row, revision: one.revision + 3 } });
      expect(await chunks(NOW)).toEqual(whole);
    });

    it('take other tags, and go with their document', async () => {
      const one = document({ tags: ['a'] });
      const former = left(one, unitSet('heron in Oslo'), MONDAY, TUESDAY);
      await apply(upsert(one, unitSet('other')), former);
      const moved = { ...one, tags: ['b'], revision: one.revision + 1 };
      await apply(upsert(moved), left(moved, unitSet('heron in Oslo'), MONDAY, TUESDAY));
      expect(await found({ asOf: MONDAY }, ['a'])).toEqual([]);
      expect(await found({ asOf: MONDAY }, ['b'])).toEqual(['heron in Oslo']);
      await apply(removal({ ...one, revision: one.revision + 2 }));
      expect(await found({ asOf: MONDAY })).toEqual([]);
    });
  });
}

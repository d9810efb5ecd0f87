import type { OrganizationId } from '#platform/kernel';
import type { DocumentRow, RowMemory } from './documents.ts';
import type { ViewsReader } from './port.ts';
import type { UnitSearchQuery } from './queries.ts';
import { textHash } from './statements.ts';
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

const NOW = 1_767_322_800_000;

/** What every store of the views must do with memories that were recorded directly. @param open as of `viewsContract` */
export function memoriesContract(name: string, open: () => Promise<OpenedViews>): void {
  describe(`memories in the views: ${name}`, () => {
    let reader: ViewsReader;
    let organization: OrganizationId;
    const apply = sharedViews(open, (opened, own) => {
      ({ reader } = opened);
      organization = own;
    });
    const memory = (own: Partial<RowMemory> = {}, changes: Partial<DocumentRow> = {}): DocumentRow =>
      row(organization, {
        ...{ type: 'memory', stage: 'embedding', ...changes },
        memory: {
          ...{ version: 1, isStatic: false, isForgotten: false, forgetAfter: null, forgetReason: null },
          ...{ temporalContext: null, inactiveFrom: null, expiresAt: null, textHash: 'hash', ...own },
        },
      });
    const ids = async (changes: Parameters<typeof listOf>[1] = {}) =>
      (await reader.list(listOf(anyDocument(organization), changes))).rows.map(({ id }) => id).sort();
    const found = async (more: Partial<UnitSearchQuery> = {}) => {
      const hits = await reader.search(searchFor('heron', anyDocument(organization), more));
      return hits.map(({ unit }) => unit.text);
    };

    it('are left out from their moment on, and not a millisecond before', async () => {
      await apply(
        upsert(memory(), unitSet('heron stays')),
        upsert(memory({ inactiveFrom: NOW }), unitSet('heron ends')),
        upsert(memory({ isForgotten: true, inactiveFrom: 0 }), unitSet('heron was')),
      );
      expect((await found({ activeAt: NOW - 1 })).sort()).toEqual(['heron ends', 'heron stays']);
      expect(await found({ activeAt: NOW })).toEqual(['heron stays']);
      expect((await found()).sort()).toEqual(['heron ends', 'heron stays', 'heron was']);
      expect(await ids({ holds: 'memories', activeAt: NOW - 1 })).toHaveLength(2);
      expect(await ids({ holds: 'memories', activeAt: NOW })).toHaveLength(1);
      const newest = async (more: object) =>
        (await reader.newestMemories({ ...anyDocument(organization), ...more }, 10)).length;
      expect([await newest({ activeAt: NOW - 1 }), await newest({ activeAt: NOW }), await newest({})]).toEqual([
        2, 1, 3,
      ]);
    });

    it('are left out of a search by vectors, too', async () => {
      const shown = { vectorSpaces: [SPACE], stage: 'done' } as const;
      await apply(
        upsert(memory({}, shown), embedded(['stays'], [0])),
        upsert(memory({ inactiveFrom: NOW }, shown), embedded(['ends'], [0])),
      );
      const vectors = [{ space: SPACE, values: direction(0) }];
      const near = (activeAt: number) => found({ question: 'unlike', vectors, activeAt });
      expect((await near(NOW - 1)).sort()).toEqual(['ends', 'stays']);
      expect(await near(NOW)).toEqual(['stays']);
    });

    it('come back and go again with their rows', async () => {
      const one = memory({ isForgotten: true, inactiveFrom: 0 });
      await apply(upsert(one, unitSet('heron')));
      expect(await found({ activeAt: NOW })).toEqual([]);
      await apply(upsert(memory({}, { id: one.id, revision: one.revision + 1 })));
      expect(await found({ activeAt: NOW })).toEqual(['heron']);
      await apply(upsert(memory({ inactiveFrom: NOW - 5 }, { id: one.id, revision: one.revision + 2 })));
      expect(await found({ activeAt: NOW })).toEqual([]);
    });

    it('are no documents, in lists, counts and searches for one of the two', async () => {
      const [document, direct] = [row(organization, { tags: ['a'] }), memory({}, { tags: ['a'] })];
      await apply(upsert(document, unitSet('heron flies')), upsert(direct, unitSet('heron walks')));
      expect(await ids()).toEqual([document.id]);
      expect(await ids({ holds: 'memories' })).toEqual([direct.id]);
      expect(await ids({ holds: 'both' })).toEqual([document.id, direct.id].sort());
      expect(await found({ holds: 'memories' })).toEqual(['heron walks']);
      expect(await found({ holds: 'documents' })).toEqual(['heron flies']);
      expect(await reader.totals({ organization, tags: 'all' })).toEqual({ documents: 1, memories: 2 });
      expect(await reader.countTypes({ organization, tags: 'all' })).toEqual([{ type: document.type, count: 1 }]);
      await apply(removal({ ...direct, revision: direct.revision + 1 }));
      expect(await reader.totals({ organization, tags: 'all' })).toEqual({ documents: 1, memories: 1 });
    });

    it('count for their tags while they are active', async () => {
      const tags = ['only'];
      await apply(
        upsert(memory({ inactiveFrom: NOW }, { tags }), unitSet('one')),
        upsert(memory({ inactiveFrom: 0 }, { tags }), unitSet('two')),
        upsert(memory({}, { tags }), unitSet('three')),
      );
      const count = async (now: number) => (await reader.tags({ organization, tags: 'all' }, now))[0];
      expect(await count(NOW - 1)).toMatchObject({ tag: 'only', documents: 0, memories: 2 });
      expect(await count(NOW)).toMatchObject({ documents: 0, memories: 1 });
    });

    it('are found by their texts in whatever form, within the tags', async () => {
      const saying = (text: string, tag: string) => memory({ textHash: textHash(organization, text) }, { tags: [tag] });
      const [a, b] = [saying('A heron.', 'one'), saying('b', 'one')];
      await apply(upsert(a), upsert(b), upsert(saying('a heron', 'two')));
      const inOne = async (...texts: string[]) => {
        const query = listOf(anyDocument(organization, ['one']), { holds: 'memories', texts });
        return (await reader.list(query)).rows.map(({ id }) => id).sort();
      };
      expect(await inOne('a  HERON')).toEqual([a.id]);
      expect(await inOne('A heron.', 'b', 'c')).toEqual([a.id, b.id].sort());
      expect(await inOne('c')).toEqual([]);
    });

    it('are lasting facts or not', async () => {
      await apply(
        upsert(memory({ isStatic: true }), unitSet('lasting')),
        upsert(memory(), unitSet('passing')),
        upsert(row(organization, { stage: 'done' }), unitSet('passage')),
      );
      const texts = async (isStatic: boolean) => {
        const newest = await reader.newestMemories({ ...anyDocument(organization), isStatic }, 10);
        return newest.map(({ unit }) => unit.text).sort();
      };
      expect([await texts(true), await texts(false)]).toEqual([['lasting'], ['passage', 'passing']]);
    });

    it('are due when they have expired, until that is recorded', async () => {
      const due = memory({ inactiveFrom: NOW, expiresAt: NOW });
      await apply(upsert(due), upsert(memory({ inactiveFrom: NOW, expiresAt: null })));
      const own = async (until: number) =>
        (await reader.expired(until, 10_000)).filter((one) => one.organization === organization).map(({ id }) => id);
      expect([await own(NOW - 1), await own(NOW)]).toEqual([[], [due.id]]);
      expect(await reader.expired(NOW, 0)).toEqual([]);
      await apply(upsert(memory({ inactiveFrom: NOW, expiresAt: null }, { id: due.id, revision: due.revision + 1 })));
      expect(await own(NOW)).toEqual([]);
    });
  });
}

import type { OrganizationId } from '#platform/kernel';
import type { DocumentChange, DocumentRow, RowMemory, UnitSet } from './documents.ts';
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
  units,
  upsert,
} from './testing.ts';

const [MONDAY, TUESDAY, FRIDAY, NOW] = [1_000, 2_000, 3_000, 9_000] as const;

/** What every store of the views must do with questions about a past time. @param open as of `viewsContract` */
export function pastContract(name: string, open: () => Promise<OpenedViews>): void {
  describe(`past states in the views: ${name}`, () => {
    let reader: ViewsReader;
    let organization: OrganizationId;
    const apply = sharedViews(open, (opened, own) => {
      ({ reader } = opened);
      organization = own;
    });

    interface Version {
      readonly text: string;
      readonly at: number;
    }
    const memoryOf = (version: number, own: Partial<RowMemory> = {}): RowMemory => ({
      ...{ version, isStatic: false, isForgotten: false, forgetAfter: null, forgetReason: null },
      ...{
        temporalContext: null,
        inactiveFrom: null,
        expiresAt: null,
        textHash: textHash(organization, `text ${version}`),
        ...own,
      },
    });
    /** A memory with its versions, the latest one last. */
    function revised(
      changes: Partial<DocumentRow>,
      versions: readonly Version[],
      { own = {}, setOf = memorySet }: { own?: Partial<RowMemory>; setOf?: (text: string) => UnitSet } = {},
    ): DocumentChange & { readonly kind: 'upsert' } {
      const latest = versions.at(-1) as Version;
      const plain = row(organization, { type: 'memory', stage: 'done', ...changes });
      const present = { ...plain, memory: memoryOf(versions.length, own), createdAt: latest.at, updatedAt: latest.at };
      const pieces = versions.slice(0, -1).map(({ text, at }, i) => {
        const id = `${plain.id}~${i}`.slice(-22).padStart(22, '0');
        const until = (versions[i + 1] as Version).at;
        const piece = { documentId: plain.id, type: 'memory', unitId: `version ${i + 1}`, ordinal: 0, from: at, until };
        const memory = memoryOf(i + 1, { ...own, expiresAt: null });
        const former = { ...present, id, type: 'former', createdAt: at, updatedAt: at, memory };
        return { row: { ...former, piece: { ...piece, isFormer: true as const } }, units: setOf(text) };
      });
      const named = pieces.map(({ row: { id, piece } }) => {
        return [id, `${plain.revision}`, 'memory' as const, 0, piece.from, piece.until] as const;
      });
      return {
        ...{
          kind: 'upsert',
          row: { ...present, cuts: { leftOut: [], pieces: named } },
          units: setOf(latest.text),
          pieces,
        },
      };
    }
    const memorySet = (text: string): UnitSet => ({ units: units('memory', [text]), header: '', vectors: null });
    const VERSIONS = [
      { text: 'heron in Oslo', at: MONDAY },
      { text: 'heron in Bergen', at: TUESDAY },
      { text: 'heron in Bodo', at: FRIDAY },
    ];
    const found = async (more: Partial<UnitSearchQuery> = {}, tags: 'all' | readonly string[] = 'all') => {
      const hits = await reader.search(searchFor('heron', anyDocument(organization, tags), more));
      return hits.map(({ unit }) => unit.text).sort();
    };
    const listed = async (asOf?: number, more: { activeAt?: number; order?: 'asc' | 'desc'; offset?: number } = {}) => {
      const query = { ...anyDocument(organization), ...(asOf !== undefined && { asOf }) };
      const { memories, total } = await reader.memories({
        ...{ ...query, sort: 'createdAt', order: 'asc', offset: 0, limit: 2, ...more },
      });
      return [...memories.map(({ unit }) => unit.text), total];
    };

    it('find the version of a memory that was there', async () => {
      const change = revised({}, VERSIONS);
      await apply(change);
      expect(await found()).toEqual(['heron in Bodo']);
      expect(await found({ asOf: MONDAY - 1 })).toEqual([]);
      expect(await found({ asOf: MONDAY })).toEqual(['heron in Oslo']);
      expect(await found({ asOf: TUESDAY - 1 })).toEqual(['heron in Oslo']);
      expect(await found({ asOf: TUESDAY })).toEqual(['heron in Bergen']);
      expect(await found({ asOf: NOW })).toEqual(['heron in Bodo']);
      expect(await found({ asOf: TUESDAY, holds: 'memories' })).toEqual(['heron in Bergen']);
      expect(await found({ asOf: TUESDAY, holds: 'documents' })).toEqual([]);
      const [hit] = await reader.search(searchFor('heron', anyDocument(organization), { asOf: TUESDAY }));
      expect(hit).toMatchObject({ unit: { id: 'version 2' }, document: { id: change.row.id, type: 'memory' } });
      expect(hit?.document).toMatchObject({ memory: { version: 2 } });
      expect(hit).not.toHaveProperty('isCut');
    });

    it('find it by its vector', async () => {
      const axes = new Map(VERSIONS.map(({ text }, i) => [text, i]));
      const setOf = (text: string) => {
        const { units: own, ...set } = embedded([text], [axes.get(text) as number]);
        const [place] = own.flatMap(({ kind }, i) => (kind === 'memory' ? [i] : []));
        const vector = set.vectors?.[place as number] ?? null;
        return { ...set, units: units('memory', [text]), vectors: [vector] };
      };
      await apply(revised({ vectorSpaces: [SPACE] }, VERSIONS, { setOf }));
      const vectors = [{ space: SPACE, values: direction(0) }];
      const near = (more: Partial<UnitSearchQuery>) => found({ question: 'unlike', vectors, ...more });
      expect(await near({ asOf: MONDAY })).toEqual(['heron in Oslo']);
      const best = await reader.search(searchFor('unlike', anyDocument(organization), { vectors, asOf: MONDAY }));
      expect(best[0]?.evidence.cosineBare).toBeGreaterThan(0.9);
    });

    it('leave out a memory that is forgotten or has expired today, with all its versions', async () => {
      await apply(revised({}, VERSIONS, { own: { inactiveFrom: NOW } }));
      expect(await found({ asOf: TUESDAY, activeAt: NOW - 1 })).toEqual(['heron in Bergen']);
      expect(await found({ asOf: TUESDAY, activeAt: NOW })).toEqual([]);
      expect(await found({ asOf: TUESDAY })).toEqual(['heron in Bergen']);
      expect(await listed(TUESDAY, { activeAt: NOW })).toEqual([0]);
      expect(await listed(TUESDAY, { activeAt: NOW - 1 })).toEqual(['heron in Bergen', 1]);
      expect(await reader.expired(NOW, 10)).toEqual([]);
    });

    it('are in no other answer', async () => {
      await apply(
        revised({ tags: ['only'] }, VERSIONS),
        upsert(row(organization, { tags: ['only'] }), unitSet('heron')),
      );
      expect(await listed()).toEqual(['heron in Bodo', 'heron', 2]);
      expect(await reader.totals({ organization, tags: 'all' })).toEqual({ documents: 1, memories: 2 });
      const [tag] = await reader.tags({ organization, tags: 'all' }, NOW);
      expect(tag).toMatchObject({ documents: 1, memories: 2 });
      for (const holds of ['documents', 'memories', 'both', 'sources'] as const) {
        const { rows } = await reader.list(listOf(anyDocument(organization), { holds }));
        expect(rows.filter(({ type }) => type === 'former')).toEqual([]);
      }
      const texts = listOf(anyDocument(organization), { holds: 'memories', texts: ['text 1', 'text 3'] });
      expect((await reader.list(texts)).rows.map(({ memory }) => memory?.version)).toEqual([3]);
      expect(await reader.newestMemories(anyDocument(organization), 10)).toHaveLength(2);
      expect(await reader.passages({ organization, tags: 'all' }, { ids: ['version 1'] })).toEqual([]);
    });

    it('list what was there, page by page, without documents that have changed since', async () => {
      const of = (createdAt: number, updatedAt: number) => row(organization, { stage: 'done', createdAt, updatedAt });
      await apply(
        revised({}, VERSIONS),
        upsert(of(MONDAY + 1, TUESDAY - 1), unitSet('one', 'two')),
        upsert(of(MONDAY + 1, FRIDAY), unitSet('three')),
        upsert(of(FRIDAY, FRIDAY), unitSet('four')),
      );
      expect(await listed(MONDAY)).toEqual(['heron in Oslo', 1]);
      expect(await listed(TUESDAY)).toEqual(['one', 'two', 3]);
      expect(await listed(TUESDAY, { offset: 2 })).toEqual(['heron in Bergen', 3]);
      expect(await listed(TUESDAY, { order: 'desc' })).toEqual(['heron in Bergen', 'two', 3]);
      expect(await listed(NOW)).toHaveLength(3);
      await apply(revised({ type: 'passage' }, VERSIONS, { own: { documentId: 'document' } }));
      expect(await found({ asOf: MONDAY })).toEqual(['heron in Oslo', 'heron in Oslo']);
      expect(await listed(MONDAY)).toEqual(['heron in Oslo', 1]);
      const newest = await reader.newestMemories({ ...anyDocument(organization), asOf: TUESDAY }, 2);
      expect(newest.map(({ unit }) => unit.text)).toEqual(['heron in Bergen', 'two']);
    });

    it('find units of documents by the time of their creation', async () => {
      const document = row(organization, { createdAt: TUESDAY, updatedAt: NOW });
      await apply(upsert(document, unitSet('heron flies')));
      expect(await found({ asOf: TUESDAY - 1 })).toEqual([]);
      expect(await found({ asOf: TUESDAY })).toEqual(['heron flies']);
    });

    it('find and list the version that counts for a date, whenever it was recorded', async () => {
      const change = revised({}, VERSIONS);
      const valid = [
        { from: TUESDAY, until: FRIDAY },
        { from: MONDAY, until: TUESDAY },
        { from: FRIDAY, until: null },
      ] as const;
      const pieces = change.pieces?.map(({ row: { memory, ...former }, units: own }, i) => ({
        row: { ...former, memory: { ...(memory as RowMemory), valid: valid[i] as (typeof valid)[0] } },
        units: own,
      }));
      const memory = { ...(change.row.memory as RowMemory), valid: valid[2] };
      const dated = row(organization, { stage: 'done', documentDate: '1970-01-01T00:00:01.500Z', createdAt: NOW });
      await apply(
        { ...change, row: { ...change.row, memory }, ...(pieces && { pieces }) },
        upsert(dated, unitSet('heron flies')),
      );
      expect(await found({ validAt: MONDAY - 1 })).toEqual([]);
      expect(await found({ validAt: MONDAY })).toEqual(['heron in Bergen']);
      expect(await found({ validAt: 1_500 })).toEqual(['heron flies', 'heron in Bergen']);
      expect(await found({ validAt: TUESDAY })).toEqual(['heron flies', 'heron in Oslo']);
      expect(await found({ validAt: NOW, holds: 'memories' })).toEqual(['heron in Bodo']);
      const listedOn = async (validAt: number) => {
        const page = { sort: 'createdAt', order: 'asc', offset: 0, limit: 10 } as const;
        const { memories, total } = await reader.memories({ ...anyDocument(organization), validAt, ...page });
        return [...memories.map(({ unit }) => unit.text), total];
      };
      expect(await listedOn(MONDAY)).toEqual(['heron in Bergen', 1]);
      expect(await listedOn(NOW)).toEqual(['heron in Bodo', 'heron flies', 2]);
    });

    it('follow the memory: to other tags, and away', async () => {
      const change = revised({ tags: ['a'] }, VERSIONS);
      await apply(change);
      const { row: former } = change;
      const moved = revised({ tags: ['b'], id: former.id, revision: former.revision + 1 }, VERSIONS.slice(0, 2));
      await apply(moved);
      expect(await found({ asOf: MONDAY }, ['a'])).toEqual([]);
      expect(await found({ asOf: MONDAY }, ['b'])).toEqual(['heron in Oslo']);
      expect(await found({ asOf: FRIDAY }, ['b'])).toEqual(['heron in Bergen']);
      await apply(removal({ ...former, revision: former.revision + 2 }));
      for (const asOf of [MONDAY, TUESDAY, NOW]) expect(await found({ asOf })).toEqual([]);
    });
  });
}

import type { OrganizationId } from '#platform/kernel';
import type { Cuts, DocumentChange, DocumentRow, NamedPiece, Piece, UnitKind } from './documents.ts';
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
  units,
  upsert,
} from './testing.ts';

const NOW = 1_767_322_800_000;

/** What every store of the views must do with documents whose memories callers have touched. @param open as of `viewsContract` */
export function cutsContract(name: string, open: () => Promise<OpenedViews>): void {
  describe(`documents with touched memories in the views: ${name}`, () => {
    let reader: ViewsReader;
    let organization: OrganizationId;
    const apply = sharedViews(open, (opened, own) => {
      ({ reader } = opened);
      organization = own;
    });
    const found = async (more: Partial<UnitSearchQuery> = {}, tags: 'all' | readonly string[] = 'all') => {
      const hits = await reader.search(searchFor('heron', anyDocument(organization, tags), more));
      return hits.map(({ unit }) => unit.text).sort();
    };
    const cut = (document: DocumentRow, cuts: Partial<Cuts>): DocumentRow => ({
      ...document,
      cuts: { leftOut: [], pieces: [], ...cuts },
    });

    interface Remains {
      readonly kind?: UnitKind;
      readonly from?: number;
      readonly until?: number | null;
      readonly fingerprint?: string;
    }
    function piece(of: DocumentRow, id: string, text: string, more: Remains = {}): readonly [NamedPiece, Piece] {
      const { kind = 'chunk', from = 0, until = null, fingerprint = text } = more;
      const own = { documentId: of.id, type: of.type, unitId: `unit of ${id}`, ordinal: 0, from, until };
      const shown = { ...of, id, type: 'piece', piece: own, vectorSpaces: [SPACE] };
      const [unit] = units(kind, [text]);
      return [
        [id, fingerprint, kind, 0, from, until],
        { row: shown, units: { units: unit ? [{ ...unit, id }] : [], header: '', vectors: null } },
      ];
    }
    const withPieces = (document: DocumentRow, cuts: Partial<Cuts>, ...pieces: readonly Piece[]): DocumentChange => ({
      ...{ kind: 'upsert', row: cut(document, cuts), pieces },
    });
    const id = (text: string) => text.padEnd(22, '0');

    it('leave out units from their moment on, with their words and vectors', async () => {
      const document = row(organization, { vectorSpaces: [SPACE] });
      await apply(upsert(document, embedded(['heron flies', 'heron walks', 'heron sleeps'], [0, 1, 2])));
      const leftOut = [
        ['memory', 1, 0],
        ['memory', 2, NOW],
      ] as const;
      await apply(upsert(cut(document, { leftOut })));
      expect(await found({ cutAt: NOW - 1 })).toEqual(['heron flies', 'heron sleeps']);
      expect(await found({ cutAt: NOW })).toEqual(['heron flies']);
      expect(await found()).toEqual(['heron flies']);
      const vectors = [{ space: SPACE, values: direction(1) }];
      expect(await found({ vectors, question: 'unlike' })).toEqual(['heron flies']);
      expect(await found({ kind: 'chunk' })).toHaveLength(3);
      expect(await found({ question: 'walks sleeps' })).toEqual([]);
      await apply(upsert(cut({ ...document, revision: document.revision + 1 }, { leftOut: [] })));
      expect(await found()).toHaveLength(3);
    });

    it('show pieces in place of units, for their time', async () => {
      const document = row(organization, { title: 'Birds' });
      const [always, first] = piece(document, id('first'), 'heron stays', { until: NOW });
      const [later, second] = piece(document, id('second'), 'heron goes', { from: NOW });
      await apply(upsert(document, unitSet('heron stays and goes')));
      const cuts = { leftOut: [['chunk', 0, 0]], pieces: [always, later] } as const;
      await apply(withPieces(document, cuts, first, second));
      expect(await found({ kind: 'chunk', cutAt: NOW - 1 })).toEqual(['heron stays']);
      expect(await found({ kind: 'chunk', cutAt: NOW })).toEqual(['heron goes']);
      expect(await found({ kind: 'chunk', cutAt: NOW, holds: 'documents' })).toEqual(['heron goes']);
      expect(await found({ kind: 'chunk', cutAt: NOW, documentId: document.id })).toEqual(['heron goes']);
      expect(await found({ kind: 'chunk', cutAt: NOW, documentId: id('other') })).toEqual([]);
      expect(await found({ kind: 'chunk', cutAt: NOW, holds: 'memories' })).toEqual([]);
      const [hit] = await reader.search(searchFor('heron', anyDocument(organization), { kind: 'chunk', cutAt: NOW }));
      expect(hit).toMatchObject({
        ...{ isCut: true, document: { id: document.id, title: 'Birds', type: document.type } },
        unit: { id: `unit of ${id('second')}`, ordinal: 0 },
      });
      expect(await found()).toEqual(['heron stays and goes']);
    });

    it('keep pieces out of lists and counts', async () => {
      const document = row(organization, { tags: ['a'] });
      const [named, one] = piece(document, id('p'), 'heron');
      await apply({ ...withPieces(document, { pieces: [named] }, one), units: unitSet('heron') } as DocumentChange);
      const ids = async (holds: 'documents' | 'memories' | 'both' | 'sources') =>
        (await reader.list(listOf(anyDocument(organization), { holds }))).rows.map((each) => each.id);
      for (const holds of ['documents', 'both', 'sources'] as const) expect(await ids(holds)).toEqual([document.id]);
      expect(await ids('memories')).toEqual([]);
      const scope = { organization, tags: 'all' } as const;
      expect(await reader.totals(scope)).toEqual({ documents: 1, memories: 1 });
      expect((await reader.tags(scope, NOW))[0]).toMatchObject({ documents: 1, memories: 1 });
      expect(await reader.countTypes(scope)).toEqual([{ type: document.type, count: 1 }]);
    });

    it('replace, move and remove pieces with their document', async () => {
      const document = row(organization, { tags: ['a'] });
      const [named, one] = piece(document, id('one'), 'heron one');
      const [other, two] = piece(document, id('two'), 'heron two');
      await apply(upsert(document, unitSet('other')), withPieces(document, { pieces: [named, other] }, one, two));
      const next = { ...document, revision: document.revision + 1, tags: ['b'] };
      const [moved, again] = piece(next, id('two'), 'heron two', { fingerprint: 'moved' });
      await apply(withPieces(next, { pieces: [moved] }, again));
      expect(await found({ kind: 'chunk' }, ['a'])).toEqual([]);
      expect(await found({ kind: 'chunk' }, ['b'])).toEqual(['heron two']);
      await apply(removal({ ...next, revision: next.revision + 1 }));
      expect(await found({ kind: 'chunk' })).toEqual([]);
    });

    it('count a touched memory once, and list it in the place of its passage', async () => {
      const tags = ['only'];
      const document = row(organization, { tags });
      const touched = row(organization, {
        ...{ type: 'passage', tags, createdAt: document.createdAt + 1 },
        memory: {
          ...{ version: 1, isStatic: false, isForgotten: true, forgetAfter: null, forgetReason: null },
          ...{ temporalContext: null, inactiveFrom: NOW, expiresAt: null, textHash: 'hash', documentId: document.id },
        },
      });
      await apply(
        upsert(cut(document, { leftOut: [['memory', 1, 0]] }), unitSet('heron one', 'heron two', 'heron three')),
        upsert(touched, { units: units('memory', ['heron two']), header: '', vectors: null }),
      );
      const count = async (now: number) => (await reader.tags({ organization, tags: 'all' }, now))[0];
      expect(await count(NOW - 1)).toMatchObject({ documents: 1, memories: 3 });
      expect(await count(NOW)).toMatchObject({ documents: 1, memories: 2 });
      expect(await reader.totals({ organization, tags: 'all' })).toEqual({ documents: 1, memories: 3 });
      const page = async (activeAt: number, offset: number, order: 'asc' | 'desc' = 'asc') => {
        const asked = { ...anyDocument(organization), activeAt, cutAt: NOW, sort: 'createdAt', order } as const;
        const { memories, total } = await reader.memories({ ...asked, offset, limit: 2 });
        return [...memories.map(({ unit }) => unit.text), total];
      };
      expect(await page(NOW - 1, 0)).toEqual(['heron one', 'heron three', 3]);
      expect(await page(NOW - 1, 2)).toEqual(['heron two', 3]);
      expect(await page(NOW - 1, 0, 'desc')).toEqual(['heron two', 'heron three', 3]);
      expect(await page(NOW, 0)).toEqual(['heron one', 'heron three', 2]);
      expect(await page(NOW, 2)).toEqual([2]);
      const newest = await reader.newestMemories({ ...anyDocument(organization), activeAt: NOW, cutAt: NOW }, 10);
      expect(newest.map(({ unit }) => unit.text)).toEqual(['heron three', 'heron one']);
      const holds = async (held: 'documents' | 'memories' | 'sources') =>
        (await reader.list(listOf(anyDocument(organization), { holds: held }))).rows.map((each) => each.id);
      expect([await holds('documents'), await holds('memories'), await holds('sources')]).toEqual([
        [document.id],
        [touched.id],
        [document.id],
      ]);
    });

    it('find memories of documents by their ids and texts, within the tags', async () => {
      const [older, newer] = [
        row(organization, { tags: ['one'] }),
        row(organization, { tags: ['one'], createdAt: NOW + 1 }),
      ];
      const set = unitSet('heron \ud800 flies', 'heron walks');
      await apply(upsert(older, set), upsert(newer, unitSet('heron walks')));
      await apply(upsert({ ...older, metadata: { n: 1 }, revision: older.revision + 1 }));
      const memory = set.units.find(({ kind, ordinal }) => kind === 'memory' && ordinal === 0);
      const scope = { organization, tags: ['one'] };
      expect(await reader.passages(scope, { ids: [memory?.id ?? '', 'unknown'] })).toMatchObject([
        { unit: { id: memory?.id, text: 'heron \ud800 flies' }, document: { id: older.id } },
      ]);
      const texts = ['Heron walks!', 'heron'];
      expect(await reader.passages(scope, { texts })).toMatchObject([
        { document: { id: newer.id } },
        { document: { id: older.id } },
      ]);
      expect(await reader.passages({ organization, tags: ['two'] }, { texts })).toEqual([]);
      await apply(upsert({ ...newer, revision: newer.revision + 1 }, unitSet('gone')));
      expect(await reader.passages(scope, { texts })).toMatchObject([{ document: { id: older.id } }]);
    });

    it('find chunks by their ids and exact texts, and by what remains of them, within the tags', async () => {
      const [older, newer] = [
        row(organization, { tags: ['one'] }),
        row(organization, { tags: ['one'], createdAt: NOW + 1 }),
      ];
      const set = unitSet('heron \ud800 flies', 'heron walks');
      await apply(upsert(older, set), upsert(newer, unitSet('heron walks')));
      const [chunk] = set.units.filter(({ kind }) => kind === 'chunk');
      const scope = { organization, tags: ['one'] };
      const named = async (name: Parameters<ViewsReader['chunks']>[1], tag = 'one') =>
        (await reader.chunks({ ...scope, tags: [tag] }, name)).map(({ documentId, unit: { id: of } }) => [
          documentId === older.id ? 'older' : 'newer',
          of,
        ]);
      expect(await named({ id: chunk?.id ?? '' })).toEqual([['older', chunk?.id]]);
      expect(await named({ text: 'heron \ud800 flies' })).toEqual([['older', chunk?.id]]);
      expect(await named({ id: chunk?.id ?? '' }, 'two')).toEqual([]);
      expect((await named({ text: 'heron walks' })).map(([document]) => document)).toEqual(['newer', 'older']);
      expect(await named({ text: 'Heron walks' })).toEqual([]);
      const [memory] = set.units.filter(({ kind }) => kind === 'memory');
      expect(await named({ id: memory?.id ?? '' })).toEqual([]);
      const [name, remains] = piece(older, id('remains'), 'heron rests');
      await apply(withPieces({ ...older, revision: older.revision + 1 }, { pieces: [name] }, remains));
      expect(await named({ text: 'heron rests' })).toEqual([['older', `unit of ${id('remains')}`]]);
      expect(await named({ text: 'heron rests' }, 'two')).toEqual([]);
    });
  });
}

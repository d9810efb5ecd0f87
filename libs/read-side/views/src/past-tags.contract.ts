import type { OrganizationId, TagSelection } from '#platform/kernel';
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
  units,
  upsert,
} from './testing.ts';

const [SUNDAY, MONDAY, TUESDAY, FRIDAY, NOW] = [500, 1_000, 2_000, 3_000, 9_000] as const;

/** What every store of the views must do with rows whose tags have changed. @param open as of `viewsContract` */
export function pastTagsContract(name: string, open: () => Promise<OpenedViews>): void {
  describe(`tags of then: ${name}`, () => {
    let reader: ViewsReader;
    let organization: OrganizationId;
    const apply = sharedViews(open, (opened, own) => {
      ({ reader } = opened);
      organization = own;
    });

    /** Had tag a until Tuesday, then b, and has c since Friday. */
    const MOVED = {
      tags: ['c'],
      formerTags: [
        { tags: ['a'], until: TUESDAY },
        { tags: ['b'], until: FRIDAY },
      ],
    };
    const document = (changes: Partial<DocumentRow> = {}) =>
      row(organization, { stage: 'done', createdAt: MONDAY, updatedAt: FRIDAY, ...changes });
    const memory = (text: string): RowMemory => ({
      ...{ version: 1, isStatic: false, isForgotten: false, forgetAfter: null, forgetReason: null },
      ...{ temporalContext: null, inactiveFrom: null, expiresAt: null, textHash: textHash(organization, text) },
    });
    const recorded = (text: string, changes: Partial<DocumentRow> = {}) =>
      upsert(document({ type: 'memory', memory: memory(text), updatedAt: MONDAY, ...changes }), {
        ...{ units: units('memory', [text]), header: '', vectors: null },
      });
    const search = (asOf: number, tagsThen: TagSelection, more: Partial<UnitSearchQuery> = {}) =>
      reader.search(searchFor('heron', anyDocument(organization), { asOf, tagsThen, ...more }));
    const found = async (...asked: Parameters<typeof search>) =>
      (await search(...asked)).map(({ unit }) => unit.text).sort();
    const listed = async (asOf: number, tagsThen: TagSelection, limit = 10) => {
      const query = { ...anyDocument(organization), asOf, tagsThen };
      const page = { sort: 'createdAt', order: 'asc', offset: 0, limit } as const;
      const { memories, total } = await reader.memories({ ...query, ...page });
      const newest = await reader.newestMemories(query, limit);
      return [memories.map(({ unit }) => unit.text).sort(), total, newest.map(({ unit }) => unit.text).sort()];
    };

    it('select what a search finds', async () => {
      await apply(
        upsert(document(MOVED), unitSet('heron, moved')),
        ...['a', 'b', 'c'].map((tag) => upsert(document({ tags: [tag] }), unitSet(`heron in ${tag}`))),
      );
      for (const kind of ['memory', 'chunk'] as const) {
        expect(await found(SUNDAY, ['a'], { kind })).toEqual([]);
        expect(await found(MONDAY, ['a'], { kind })).toEqual(['heron in a', 'heron, moved']);
        expect(await found(TUESDAY - 1, ['a'], { kind })).toEqual(['heron in a', 'heron, moved']);
        expect(await found(TUESDAY, ['a'], { kind })).toEqual(['heron in a']);
        expect(await found(MONDAY, ['b'], { kind })).toEqual(['heron in b']);
        expect(await found(TUESDAY, ['b'], { kind })).toEqual(['heron in b', 'heron, moved']);
        expect(await found(TUESDAY, ['b', 'a'], { kind })).toHaveLength(3);
        expect(await found(FRIDAY, ['b'], { kind })).toEqual(['heron in b']);
        expect(await found(TUESDAY, ['c'], { kind })).toEqual(['heron in c']);
        expect(await found(FRIDAY, ['c'], { kind })).toEqual(['heron in c', 'heron, moved']);
        expect(await found(TUESDAY, 'all', { kind })).toHaveLength(4);
        expect(await found(TUESDAY, ['d'], { kind })).toEqual([]);
      }
      // The present has the tags of today.
      const present = (tags: readonly string[]) => reader.search(searchFor('heron', anyDocument(organization, tags)));
      expect(await present(['a'])).toHaveLength(1);
      expect(await present(['c'])).toHaveLength(2);
    });

    it('find words by the rules of the languages of then', async () => {
      const german = { ...unitSet('Die Rechnungen liegen bereit.'), language: 'de' };
      const english = upsert(document({ tags: ['a'] }), unitSet('A heron stands in the pond.'));
      await apply(upsert(document({ ...MOVED, language: 'de' }), german), english);
      const question = 'Rechnung';
      expect(await found(MONDAY, ['a'], { question })).toEqual(['Die Rechnungen liegen bereit.']);
      expect(await found(TUESDAY, ['a'], { question })).toEqual([]);
      expect(await found(FRIDAY, ['c'], { question })).toEqual(['Die Rechnungen liegen bereit.']);
    });

    it('select what is found by vectors', async () => {
      const vectors = [{ space: SPACE, values: direction(0) }];
      await apply(upsert(document({ ...MOVED, vectorSpaces: [SPACE] }), embedded(['heron'], [0])));
      const [hit] = await search(MONDAY, ['a'], { question: 'unlike', vectors });
      expect(hit?.evidence.cosineBare).toBeGreaterThan(0.9);
      expect(await found(MONDAY, ['c'], { question: 'unlike', vectors })).toEqual([]);
    });

    it('find nothing for whom the tags of today exclude', async () => {
      await apply(upsert(document(MOVED), unitSet('heron, moved')), recorded('heron, recorded', MOVED));
      for (const [tags, found] of [
        [['c'], 2],
        [['a'], 0],
        [['b', 'd'], 0],
      ] as const) {
        const query = { ...anyDocument(organization, tags), asOf: MONDAY };
        for (const tagsThen of [['a'], 'all'] as const) {
          expect(await reader.search(searchFor('heron', query, { tagsThen }))).toHaveLength(found);
        }
        const page = { sort: 'createdAt', order: 'asc', offset: 0, limit: 10 } as const;
        // Documents that have changed since are not listed by the views.
        const { total } = await reader.memories({ ...query, tagsThen: ['a'], ...page });
        expect(total).toBe(Math.min(found, 1));
      }
    });

    it('find single rows among many with the tags of today, and many among few', async () => {
      const others = Array.from({ length: 30 }, (_, i) => upsert(document({ tags: ['c'] }), unitSet(`heron ${i}`)));
      await apply(upsert(document(MOVED), unitSet('heron, moved')), ...others);
      expect(await found(MONDAY, ['a'])).toEqual(['heron, moved']);
      const more = Array.from({ length: 30 }, (_, i) => upsert(document(MOVED), unitSet(`heron, moved too ${i}`)));
      await apply(...more);
      expect(await found(MONDAY, ['a'])).toHaveLength(31);
      expect(await found(MONDAY, ['c'])).toHaveLength(30);
      expect(await found(MONDAY, ['a'], { limit: 5 })).toHaveLength(5);
    });

    it('rank as if only what had the tags were there', async () => {
      const question = 'heron lighthouse';
      const texts = ['heron heron pond', 'lighthouse on a rock', 'a pond'];
      const others = Array.from({ length: 9 }, (_, i) => upsert(document({ tags: ['c'] }), unitSet(`lighthouse ${i}`)));
      await apply(...texts.map((text) => upsert(document(MOVED), unitSet(text))), ...others);
      const moved = await search(MONDAY, ['a'], { question });
      await apply(...texts.map((text) => upsert(document({ tags: ['z'] }), unitSet(text))));
      const alone = await reader.search(searchFor(question, anyDocument(organization, ['z'])));
      const ranked = (hits: typeof moved) => hits.map(({ unit, score }) => [unit.text, score.toFixed(6)]);
      expect(ranked(moved)).toEqual(ranked(alone));
    });

    it('select the memories of a list', async () => {
      await apply(
        recorded('heron, moved', MOVED),
        ...['a', 'b', 'c'].map((tag) => recorded(`heron in ${tag}`, { tags: [tag] })),
        upsert(document({ tags: ['a'], updatedAt: MONDAY }), unitSet('heron, said')),
        upsert(document({ ...MOVED, updatedAt: FRIDAY }), unitSet('of a document that has changed')),
      );
      const of = (...texts: readonly string[]) => [texts, texts.length, texts];
      expect(await listed(MONDAY, ['a'])).toEqual(of('heron in a', 'heron, moved', 'heron, said'));
      expect(await listed(TUESDAY, ['a'])).toEqual(of('heron in a', 'heron, said'));
      expect(await listed(MONDAY, ['b'])).toEqual(of('heron in b'));
      expect(await listed(TUESDAY, ['b'])).toEqual(of('heron in b', 'heron, moved'));
      expect((await listed(TUESDAY, ['b'], 1))[1]).toBe(2);
      expect(await listed(TUESDAY, ['c'])).toEqual(of('heron in c'));
      expect((await listed(FRIDAY, ['c']))[1]).toBe(3);
    });

    it('are those of earlier versions and of what has left a document too', async () => {
      const one = document({ ...MOVED, hasFormers: true });
      const former = (type: 'text' | 'memory', text: string, until: number) => {
        const { hasFormers: _, ...shown } = one;
        const piece = { documentId: one.id, type, ordinal: 0, from: MONDAY, until, isFormer: true as const };
        const isMemory = type === 'memory' && { memory: memory(text) };
        return upsert(
          { ...shown, id: `${one.id}${type}`.slice(-22), type: 'former', ...isMemory, piece },
          { ...{ units: units('memory', [text]), header: '', vectors: null } },
        );
      };
      await apply(
        upsert(one, unitSet('heron, present')),
        former('text', 'heron, left', FRIDAY),
        former('memory', 'heron, revised', FRIDAY),
      );
      expect(await found(MONDAY, ['a'])).toEqual(['heron, left', 'heron, present', 'heron, revised']);
      expect(await found(TUESDAY, ['b'], { documentId: one.id })).toHaveLength(3);
      expect(await found(TUESDAY, ['a'])).toEqual([]);
      expect(await found(TUESDAY, ['c'])).toEqual([]);
    });

    it('follow each change of them, and go with the row', async () => {
      const one = document({ tags: ['a'], formerTags: [{ tags: ['c'], until: TUESDAY }] });
      const again = { ...one, tags: ['c'], formerTags: [...(one.formerTags ?? []), { tags: ['a'], until: FRIDAY }] };
      await apply(upsert(one, unitSet('heron')));
      expect([await found(MONDAY, ['c']), await found(NOW, ['c']), await found(NOW, ['a'])]).toEqual([
        ...[['heron'], [], ['heron']],
      ]);
      await apply(upsert({ ...again, revision: one.revision + 1 }));
      expect([await found(MONDAY, ['c']), await found(TUESDAY, ['c']), await found(NOW, ['c'])]).toEqual([
        ...[['heron'], [], ['heron']],
      ]);
      expect([await found(TUESDAY, ['a']), await found(FRIDAY, ['a'])]).toEqual([['heron'], []]);
      await apply(removal({ ...one, revision: one.revision + 2 }));
      expect(await found(MONDAY, ['c'])).toEqual([]);
      expect((await reader.list(listOf(anyDocument(organization)))).total).toBe(0);
    });

    it('are those of the first change that is later, where the clocks of processes differ', async () => {
      const formerTags = [
        { tags: ['a'], until: FRIDAY },
        { tags: ['b'], until: TUESDAY },
      ];
      await apply(upsert(document({ tags: ['c'], formerTags }), unitSet('heron')));
      expect([await found(TUESDAY, ['a']), await found(TUESDAY, ['b']), await found(FRIDAY, ['c'])]).toEqual([
        ...[['heron'], [], ['heron']],
      ]);
    });
  });
}

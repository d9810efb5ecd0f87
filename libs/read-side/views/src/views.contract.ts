import fc from 'fast-check';
import { type Filter, matchesFilter, parseFilter, quantize } from '#features/search';
import type { Metadata, OrganizationId } from '#platform/kernel';
import { stem } from '../../../features/search/src/analysis/english.ts';
import { termHash } from '../../../features/search/src/analysis/hash.ts';
import { arbitraryFilterInput, arbitraryMetadata } from '../../../features/search/src/filters/arbitrary.ts';
import {
  DOCUMENT_TYPES,
  type DocumentRow,
  type IndexedUnitVectors,
  STAGES,
  type Unit,
  type UnitKind,
  type UnitSet,
} from './documents.ts';
import { type ViewsReader } from './port.ts';
import type { DocumentListQuery, DocumentQuery, QuestionVector, UnfinishedDocument, UnitHit } from './queries.ts';
import {
  anyDocument,
  conversation,
  direction,
  embedded,
  foundBy,
  inWindows,
  listOf,
  newOrganization,
  nextPosition,
  type OpenedViews,
  OTHER_SPACE,
  removal,
  row,
  rowsAt,
  rowsOf,
  SPACE,
  searchFor,
  sharedViews,
  unitSet,
  units,
  upsert,
  withSecond,
} from './testing.ts';
import type { ViewsWriter } from './writer-port.ts';

/** Strings that would do harm if they were ever read as anything but themselves. Distinct, also as UTF-8. */
const NASTY = [
  ...['%', '_', '\\', '*', '?', '"', "'", '`', ';', '--', '/', '//', ' ', 'a b', '[x]', '{"a":1}', '$1', '?1', ':no'],
  ..."') OR 1=1 --|'; DROP TABLE documents; --|x' UNION SELECT * FROM documents --|NEAR(a b)|col:x|a AND NOT b".split(
    '|',
  ),
  ...[
    '\0',
    'a\0b',
    'a\0c',
    '\ud800',
    '\udc00',
    '\ud800x',
    '\ud801x',
    '\ufffd',
    '\ufffdx',
    '\uffff',
    '\uffffd800',
    '😀',
  ],
  ...[
    'é',
    'e\u0301',
    'É',
    'straße',
    'STRASSE',
    'İ',
    '日本語',
    'مرحبا',
    '\u202e',
    '\u200b',
    '\r\n',
    '\t',
    'null',
    '__proto__',
  ],
  'x'.repeat(255),
];

const MOMENT = 1_767_322_800_000;

/**
 * What every store of the views must do, whatever is behind the port.
 * @param open called once, and makes views for the space `SPACE`; the tests share the store and use organizations of their own
 * @param only what searches find, for an engine that searches in several ways
 */
export function viewsContract(name: string, open: () => Promise<OpenedViews>, only?: 'searches'): void {
  const apartFromSearches = only === 'searches' ? () => {} : describe;
  describe(`views contract: ${name}`, () => {
    let writer: ViewsWriter;
    let reader: ViewsReader;
    let organization: OrganizationId;
    const apply = sharedViews(open, (opened, own) => {
      ({ writer, reader } = opened);
      organization = own;
    });
    /** What stands there of each document, in their order: its row, and its units by kind and ordinal. */
    const load = async (...documents: readonly DocumentRow[]) => {
      const found: { row: DocumentRow; units: Unit[] }[] = [];
      for (const { organization, id } of documents) {
        const scope = { organization, tags: 'all' } as const;
        const [row] = await reader.documents(scope, [id]);
        if (row === undefined) continue;
        const ordinals = Array.from({ length: 10 }, (_, i) => i);
        const wanted = (['chunk', 'memory'] as const).map((kind) => ({ documentId: id, kind, ordinals }));
        found.push({ row, units: (await reader.units(scope, wanted)).map(({ unit }) => unit) });
      }
      return found;
    };
    const listed = async (query: DocumentListQuery) => (await reader.list(query)).rows.map(({ id }) => id);
    const sees = async (document: DocumentRow, tags: DocumentQuery['scope']['tags'], word: string) => {
      const query = anyDocument(document.organization, tags);
      const wanted = [{ documentId: document.id, kind: 'memory' as const, ordinals: [0] }];
      return {
        byId: (await reader.documents(query.scope, [document.id])).length,
        inList: (await listed(listOf(query))).filter((id) => id === document.id).length,
        inTotal: (await reader.list(listOf(query))).total,
        bySearch: (await foundBy(reader, searchFor(word, query))).filter((id) => id === document.id).length,
        units: (await reader.units(query.scope, wanted)).length,
        newest: (await reader.newestMemories(query, 10)).filter(({ document: { id } }) => id === document.id).length,
      };
    };
    const NOWHERE = { byId: 0, inList: 0, inTotal: 0, bySearch: 0, units: 0, newest: 0 };
    const EVERYWHERE = { byId: 1, inList: 1, inTotal: 1, bySearch: 1, units: 1, newest: 1 };

    it('says which vector space it was made for, to readers and writers', async () => {
      expect(await writer.vectorSpace()).toBe(SPACE);
      expect(await reader.vectorSpace()).toBe(SPACE);
    });

    describe('documents', () => {
      it('gives back every field of a row and of its units as it was', async () => {
        const odd = 'Ünïcode 😀 \0 \ud800 \uffff "quoted" \n';
        const full = row(organization, {
          customId: odd,
          tags: [`z${odd}`, 'a', 'z', 'ä'],
          metadata: { [odd]: odd, n: -1.5e-7, yes: true, empty: '' },
          stage: 'failed',
          error: { stage: 'extract', code: 'unsupported_type', message: odd },
          contentVersion: 7,
          title: odd,
          summary: odd,
          type: 'pdf',
          url: `https://example.org/${odd}`,
          source: odd,
          filepath: `/${odd}/x.md`,
          taskType: 'superrag',
          documentDate: '2026-01-02',
          language: 'en',
          author: odd,
          canonicalUrl: `https://example.org/${odd}/x`,
          vectorSpaces: [SPACE],
          revision: 42,
        });
        const bare = row(organization, { source: null });
        const set = {
          units: [
            { id: 'c0', kind: 'chunk' as const, ordinal: 0, text: odd, speaker: null },
            {
              ...{ id: 'm1', kind: 'memory' as const, ordinal: 1, text: 'second', speaker: odd },
              location: { page: 2, sheet: odd, row: 7, startSeconds: 1.5, heading: odd },
            },
            { id: 'm0', kind: 'memory' as const, ordinal: 0, text: 'first', speaker: 'Ann' },
          ],
          header: '2026-01-02',
          vectors: null,
        };
        await apply(upsert(full, set), upsert(bare));
        const [chunk, second, first] = set.units;
        expect(await load(full, bare)).toEqual([
          { row: full, units: [chunk, first, second] },
          { row: bare, units: [] },
        ]);
        expect(await reader.documents({ organization, tags: 'all' }, [bare.id, full.id])).toEqual([bare, full]);
        expect(
          await reader.units({ organization, tags: ['a'] }, [
            { documentId: full.id, kind: 'memory', ordinals: [1, 0, 2] },
            { documentId: full.id, kind: 'chunk', ordinals: [0] },
          ]),
        ).toEqual([second, first, chunk].map((unit) => ({ documentId: full.id, unit })));
      });

      it('leaves out what it does not have, and answers in the order of the question', async () => {
        const [a, b] = [row(organization), row(organization)];
        await apply(upsert(a), upsert(b));
        expect((await load(b, row(organization), a)).map(({ row: { id } }) => id)).toEqual([b.id, a.id]);
        const rows = await reader.documents({ organization, tags: 'all' }, [b.id, 'unknown', a.id, b.id]);
        expect(rows.map(({ id }) => id)).toEqual([b.id, a.id]);
      });

      it('replaces a row and leaves its units where they are', async () => {
        const before = row(organization, { stage: 'indexing' });
        const after = { ...before, stage: 'done' as const, title: 'now', metadata: { k: 1 }, updatedAt: MOMENT + 5 };
        await apply(upsert(before, unitSet('a walrus')));
        await apply(upsert(after));
        expect((await load(before))[0]?.row).toEqual(after);
        expect(await sees(after, 'all', 'walrus')).toEqual(EVERYWHERE);
      });

      it('replaces all units of a document, of both kinds', async () => {
        const document = row(organization);
        await apply(upsert(document, unitSet('a walrus', 'a penguin')));
        await apply(upsert(document, { units: units('memory', ['an ostrich']), header: '', vectors: null }));
        const query = anyDocument(organization);
        expect(await foundBy(reader, searchFor('walrus penguin', query))).toEqual([]);
        expect(await foundBy(reader, searchFor('walrus penguin', query, { kind: 'chunk' }))).toEqual([]);
        expect((await reader.search(searchFor('ostrich', query))).map(({ unit }) => unit.text)).toEqual(['an ostrich']);
        expect((await load(document))[0]?.units).toHaveLength(1);
      });

      it('forgets a deleted document everywhere, and takes it in again', async () => {
        const document = row(organization, { metadata: { k: 1 }, customId: 'c', filepath: '/a' });
        const set = unitSet('a walrus');
        await apply(upsert(document, set));
        expect(await sees(document, 'all', 'walrus')).toEqual(EVERYWHERE);
        await apply(removal(document));
        expect(await load(document)).toEqual([]);
        expect(await sees(document, 'all', 'walrus')).toEqual(NOWHERE);
        await apply(removal(document));
        await apply(upsert(document, set));
        expect(await sees(document, 'all', 'walrus')).toEqual(EVERYWHERE);
      });

      it('finds a document by its front matter, as it is now', async () => {
        const frontMatter = {
          ...{ status: 'draft', tags: ['Winch', 'overhaul'], weight: 5, 'due.by': '2024-03-05', final: false },
          params: { colour: 'red', sizes: [1, null] },
        };
        const document = row(organization, { frontMatter, metadata: { status: 'sent', 'frontMatter.sent': 'x' } });
        await apply(upsert(document, unitSet('a walrus')), upsert(row(organization), unitSet('a walrus')));
        expect((await load(document))[0]?.row).toEqual(document);
        const found = async (condition: object): Promise<boolean> => {
          const filter = parsed({ AND: [condition] });
          const query = { ...anyDocument(organization), filter };
          const listed = (await reader.list(listOf(query))).rows.map(({ id }) => id);
          const searched = (await reader.search(searchFor('walrus', query))).map(({ document: { id } }) => id);
          expect(new Set(listed)).toEqual(new Set(searched));
          return listed.includes(document.id);
        };
        const named = (name: string, value: string, more = {}) => found({ key: `frontMatter.${name}`, value, ...more });
        const contains = { filterType: 'array_contains' };
        expect(await named('status', 'draft')).toBe(true);
        expect(await named('status', 'sent')).toBe(false);
        expect(await found({ key: 'status', value: 'sent' })).toBe(true);
        expect(await found({ key: 'tags', value: 'overhaul', ...contains })).toBe(false);
        expect(await named('sent', 'x')).toBe(true);
        expect(await named('tags', 'overhaul', contains)).toBe(true);
        expect(await named('tags', 'winch', { ...contains, ignoreCase: true })).toBe(true);
        expect(await named('tags', 'haul', contains)).toBe(false);
        expect(await named('tags', 'haul', { filterType: 'string_contains' })).toBe(true);
        expect(await named('tags', '["Winch","overhaul"]')).toBe(true);
        expect(await named('weight', '5.0')).toBe(true);
        expect(await named('weight', '4', { numericOperator: '>' })).toBe(true);
        expect(await named('due.by', '2024-03', { filterType: 'string_contains' })).toBe(true);
        expect(await named('final', 'false')).toBe(true);
        expect(await named('params', '{"colour":"red","sizes":[1,null]}')).toBe(true);
        expect(await named('missing', 'x', { negate: true })).toBe(true);
        // Without its units, which have to be found by it too.
        await apply(upsert({ ...document, frontMatter: { status: 'final' } }));
        expect([await named('status', 'draft'), await named('status', 'final')]).toEqual([false, true]);
        expect(await named('tags', 'overhaul', contains)).toBe(false);
        const { frontMatter: _, ...plain } = document;
        await apply(upsert(plain));
        expect(await named('status', 'final')).toBe(false);
        expect((await load(document))[0]?.row).toEqual(plain);
      });

      it('moves a document to its new tags, with its units or with new ones', async () => {
        const document = row(organization, { tags: ['old', 'both'], metadata: { k: 1 } });
        await apply(upsert(document, unitSet('a walrus')));
        const moved = { ...document, tags: ['both', 'new'] };
        await apply(upsert(moved));
        expect(await sees(moved, ['old'], 'walrus')).toEqual(NOWHERE);
        expect(await sees(moved, ['new'], 'walrus')).toEqual(EVERYWHERE);
        expect(await sees(moved, ['both'], 'walrus')).toEqual(EVERYWHERE);
        const last = { ...document, tags: ['last'] };
        await apply(upsert(last, unitSet('an ostrich')));
        expect(await sees(last, ['both', 'new'], 'ostrich')).toEqual(NOWHERE);
        expect(await foundBy(reader, searchFor('walrus', anyDocument(organization)))).toEqual([]);
        expect(await sees(last, ['last'], 'ostrich')).toEqual(EVERYWHERE);
        expect((await reader.documents({ organization, tags: ['last'] }, [last.id]))[0]).toEqual(last);
      });

      it('keeps the order of tags, though it knows them as a set', async () => {
        const [a, b] = [row(organization, { tags: ['x', 'y'] }), row(organization, { tags: ['y', 'x', 'y'] })];
        await apply(upsert(a, unitSet('walrus')), upsert(b, unitSet('walrus')));
        const rows = await reader.documents({ organization, tags: ['x'] }, [a.id, b.id]);
        expect(rows.map(({ tags }) => tags)).toEqual([a.tags, b.tags]);
      });

      it('applies the changes of a batch in their order', async () => {
        const [a, b] = [row(organization), row(organization)];
        await apply(
          ...[upsert(a, unitSet('walrus')), removal(a), upsert(b, unitSet('walrus')), upsert(a, unitSet('ostrich'))],
          ...[upsert({ ...b, tags: ['elsewhere'] }), removal(b)],
        );
        expect(await foundBy(reader, searchFor('walrus ostrich', anyDocument(organization)))).toEqual([a.id]);
        expect(await foundBy(reader, searchFor('walrus', anyDocument(organization)))).toEqual([]);
      });

      it('is the same after a batch was applied twice', async () => {
        const [a, b] = [row(organization), row(organization)];
        const batch = [upsert(a, unitSet('walrus')), upsert(b, unitSet('walrus')), removal(b)];
        await apply(...batch);
        const before = await reader.search(searchFor('walrus', anyDocument(organization)));
        await apply(...batch);
        expect(await reader.search(searchFor('walrus', anyDocument(organization)))).toEqual(before);
        expect((await reader.list(listOf(anyDocument(organization)))).total).toBe(1);
      });

      it('knows how far it has come, also beyond units that are late', async () => {
        const [position, further] = [nextPosition(), nextPosition()];
        await writer.apply([], position);
        await writer.report(further, []);
        expect(await writer.checkpoint()).toBe(position);
        expect(await reader.checkpoint()).toBe(position);
        expect(new Set(await writer.positions())).toEqual(new Set([position, further]));
      });
    });

    apartFromSearches('lists', () => {
      const arbitraryRow = fc.record({
        tags: fc.subarray(['a', 'b', 'c', 'a/b'], { minLength: 1 }),
        metadata: arbitraryMetadata.map(flat),
        stage: fc.constantFrom(...STAGES),
        source: fc.constantFrom('api', 'API', 'api%', null),
        type: fc.constantFrom('text', 'pdf', 'webpage'),
        customId: fc.constantFrom('one', 'two', null),
        filepath: fc.constantFrom('/a/b.md', '/a/b/c.md', '/a', '/a%/x', '/ab/x', 'a/', '/A/b.md', null),
        createdAt: fc.integer({ min: MOMENT, max: MOMENT + 3 }),
        updatedAt: fc.integer({ min: MOMENT, max: MOMENT + 3 }),
        mine: fc.boolean(),
      });
      const arbitraryQuery = fc.record({
        tags: fc.oneof(fc.constant('all' as const), fc.subarray(['a', 'b', 'c', 'a/b', 'd'])),
        filter: fc.option(arbitraryFilter, { freq: 2 }),
        filepath: fc.option(fc.constantFrom('/a/', '/a/b.md', '/', 'a/', '/a', '%', '/a%/', '/_/'), { freq: 2 }),
        stages: fc.option(fc.subarray([...STAGES]), { freq: 2 }),
        sources: fc.option(fc.subarray(['api', 'api%', '%']), { freq: 1 }),
        types: fc.option(fc.subarray(['text', 'pdf', 'image']), { freq: 1 }),
        customIds: fc.option(fc.subarray(['one', 'two', 'o%']), { freq: 1 }),
        createdUntil: fc.option(fc.integer({ min: MOMENT, max: MOMENT + 3 }), { freq: 1 }),
        updatedUntil: fc.option(fc.integer({ min: MOMENT, max: MOMENT + 3 }), { freq: 1 }),
        updatedAfter: fc.option(fc.integer({ min: MOMENT, max: MOMENT + 3 }), { freq: 1 }),
        sort: fc.constantFrom('createdAt' as const, 'updatedAt' as const),
        order: fc.constantFrom('asc' as const, 'desc' as const),
      });

      it('answers every query as a plain predicate and a plain sort do, page by page', async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.array(arbitraryRow, { maxLength: 12 }),
            fc.array(arbitraryQuery, { minLength: 1, maxLength: 6 }),
            async (specs, queries) => {
              const mine = newOrganization();
              const other = newOrganization();
              const rows = specs.map(({ mine: isMine, ...spec }) => row(isMine ? mine : other, spec));
              await apply(...rows.map((each) => upsert(each)));
              for (const { tags, ...rest } of queries) {
                const query = listOf(anyDocument(mine, tags), rest);
                const expected = plainList(rows, query);
                const whole = await reader.list(query);
                expect(whole.rows).toEqual(expected);
                expect(whole.total).toBe(expected.length);
                const paged: DocumentRow[] = [];
                for (let offset = 0; offset <= expected.length; offset += 2) {
                  const page = await reader.list({ ...query, offset, limit: 2 });
                  expect(page.total).toBe(expected.length);
                  paged.push(...page.rows);
                }
                expect(paged).toEqual(expected);
              }
            },
          ),
          { numRuns: 40 },
        );
      });

      it('merges many tag sets without doubling or missing a document', async () => {
        const rows = Array.from({ length: 60 }, (_, i) =>
          row(organization, { tags: ['all', `own-${i}`, `third-${i % 3}`], createdAt: MOMENT + (i % 7) }),
        );
        await apply(...rows.map((each) => upsert(each)));
        for (const tags of [['all', 'own-3'], ['third-1', 'own-1', 'own-2'], ['own-5']]) {
          for (const filepath of [null, '/none/']) {
            const query = listOf({ ...anyDocument(organization, tags), filepath }, { offset: 3, limit: 9 });
            const expected = plainList(rows, query);
            expect(await reader.list(query)).toEqual({ rows: expected.slice(3, 12), total: expected.length });
          }
        }
      });

      it('finds few documents among many by equalities, whatever their spelling and number', async () => {
        const kinds = ['Note', 'note', 'NOTE', '5', 5, '5.0', true, 'Straße'];
        const rows = Array.from({ length: 120 }, (_, i) =>
          row(organization, {
            metadata: { kind: kinds[i % kinds.length] as Metadata[string], team: i % 5, [`own-${i}`]: 'yes' },
            ...{ tags: ['all', `tag-${i % 3}`], stage: i % 7 === 0 ? 'failed' : 'done', filepath: `/${i % 2}/x` },
            ...{ createdAt: MOMENT + (i % 4), updatedAt: MOMENT - (i % 6) },
          }),
        );
        await apply(...rows.map((each) => upsert(each)));
        const [first, second] = [rows[0] as DocumentRow, rows[1] as DocumentRow];
        await apply(upsert({ ...first, metadata: { kind: 'changed' } }), removal(second));
        const live = [{ ...first, metadata: { kind: 'changed' } }, ...rows.slice(2)];
        const team = { key: 'team', value: '1.0' };
        const conditions: readonly (readonly object[])[] = [
          ...kinds.map((value) => [{ key: 'kind', value }, team]),
          ...['NOTE', 'STRASSE', 'TRUE'].map((value) => [team, { key: 'kind', value, ignoreCase: true }]),
          [{ key: 'own-7', value: 'yes' }],
          [{ key: 'own-7', value: 'yes' }, team],
          [
            team,
            {
              AND: [
                { key: 'kind', value: 'note' },
                { key: 'own-1', value: 'yes', negate: true },
              ],
            },
          ],
          [
            team,
            {
              OR: [
                { key: 'kind', value: 'note' },
                { key: 'kind', value: 5 },
              ],
            },
          ],
          [{ key: 'kind', value: 'changed' }],
          [{ key: 'kind', value: 'none' }, team],
        ];
        for (const [i, AND] of conditions.entries()) {
          const changes: Partial<DocumentListQuery> = {
            filter: parsed({ AND }),
            sort: i % 2 === 0 ? 'createdAt' : 'updatedAt',
            order: i % 3 === 0 ? 'asc' : 'desc',
          };
          for (const tags of ['all', ['tag-1'], ['tag-0', 'tag-1', 'none']] as const) {
            for (const more of [{}, { stages: ['done'] as const }, { filepath: '/1/' }]) {
              const query = listOf(anyDocument(organization, tags), { ...changes, ...more });
              const expected = plainList(live, query);
              expect(await reader.list(query)).toEqual({ rows: expected, total: expected.length });
              expect(await reader.list({ ...query, offset: 1, limit: 2 })).toEqual({
                rows: expected.slice(1, 3),
                total: expected.length,
              });
              expect(await reader.list({ ...query, offset: 200 })).toEqual({ rows: [], total: expected.length });
            }
          }
        }
      });

      it('shows a change between two pages of a list', async () => {
        const rows = Array.from({ length: 6 }, (_, i) =>
          row(organization, { metadata: { kind: 'note', place: i }, createdAt: MOMENT + i }),
        );
        await apply(...rows.map((each) => upsert(each)));
        const filter = parsed({ AND: [{ key: 'kind', value: 'note' }] });
        const query = listOf(anyDocument(organization), { filter, sort: 'createdAt', order: 'asc', limit: 2 });
        expect(await reader.list(query)).toEqual({ rows: rows.slice(0, 2), total: 6 });
        const changed = { ...(rows[2] as DocumentRow), metadata: { kind: 'letter' } };
        await apply(upsert(changed), removal(rows[3] as DocumentRow));
        expect(await reader.list({ ...query, offset: 2 })).toEqual({ rows: rows.slice(4), total: 4 });
      });

      it('is empty for an unknown organization, an unknown tag and no tag at all', async () => {
        await apply(upsert(row(organization)));
        const empty = { rows: [], total: 0 };
        expect(await reader.list(listOf(anyDocument(newOrganization())))).toEqual(empty);
        expect(await reader.list(listOf(anyDocument(organization, ['ta', 'tag2', 'TAG', ''])))).toEqual(empty);
        expect(await reader.list(listOf(anyDocument(organization, [])))).toEqual(empty);
      });
    });

    apartFromSearches('tags', () => {
      const at = (createdAt: number, updatedAt: number) => ({
        createdAt: MOMENT + createdAt,
        updatedAt: MOMENT + updatedAt,
      });
      const totals = async (tags: DocumentQuery['scope']['tags'] = 'all') => {
        const found = await reader.tags({ organization, tags }, 0);
        return Object.fromEntries(found.map(({ tag, ...rest }) => [tag, rest]));
      };

      it('adds up the documents and memories of each tag of the scope', async () => {
        await apply(
          upsert(row(organization, { tags: ['a', 'b'], ...at(1, 5) }), unitSet('one', 'two')),
          upsert(row(organization, { tags: ['b'], ...at(2, 3) }), unitSet('three')),
          upsert(row(organization, { tags: ['b', 'a'], ...at(3, 9) })),
          upsert(row(newOrganization(), { tags: ['a', 'elsewhere'] }), unitSet('four')),
        );
        const a = { documents: 2, memories: 2, ...at(1, 9) };
        const b = { documents: 3, memories: 3, ...at(1, 9) };
        expect(await totals()).toEqual({ a, b });
        expect(await totals(['b', 'unknown', 'elsewhere'])).toEqual({ b });
        expect(await totals([])).toEqual({});
        expect(await reader.totals({ organization, tags: 'all' })).toEqual({ documents: 3, memories: 3 });
        expect(await reader.totals({ organization, tags: ['a'] })).toEqual({ documents: 2, memories: 2 });
        expect(await reader.totals({ organization, tags: ['unknown'] })).toEqual({ documents: 0, memories: 0 });
      });

      it('adds up what an organization stores, whatever happens to its documents', async () => {
        const kept = row(organization, { tags: ['a'], storedBytes: 10 });
        const moved = row(organization, { tags: ['a'], storedBytes: 200 });
        await apply(
          upsert(kept, unitSet('one')),
          upsert(moved, unitSet('two')),
          upsert(row(organization)),
          upsert(row(newOrganization(), { storedBytes: 4_000 }), unitSet('three')),
        );
        expect(await reader.stored(organization)).toEqual({ documents: 3, storedBytes: 210 });
        await apply(upsert({ ...moved, tags: ['b'], storedBytes: 300, revision: 4 }, unitSet('two')));
        expect(await reader.stored(organization)).toEqual({ documents: 3, storedBytes: 310 });
        await apply({ kind: 'delete', organization, id: kept.id, revision: 4 });
        expect(await reader.stored(organization)).toEqual({ documents: 2, storedBytes: 300 });
        expect(await reader.stored(newOrganization())).toEqual({ documents: 0, storedBytes: 0 });
      });

      it('follows changes of units and tags, and deletions', async () => {
        const moved = row(organization, { tags: ['a'] });
        const kept = row(organization, { tags: ['a'] });
        await apply(upsert(moved, unitSet('one', 'two')), upsert(kept, unitSet('three')));
        await apply(upsert({ ...kept, revision: 4 }, unitSet('four', 'five', 'six')));
        expect(await totals()).toMatchObject({ a: { documents: 2, memories: 5 } });
        await apply(upsert({ ...moved, tags: ['c', 'd'], revision: 4 }));
        expect(await totals()).toMatchObject({
          a: { documents: 1, memories: 3 },
          c: { documents: 1, memories: 2 },
          d: { documents: 1, memories: 2 },
        });
        await apply(removal({ ...moved, revision: 5 }));
        expect(Object.keys(await totals())).toEqual(['a']);
      });

      it('keeps tags apart that look alike, and returns them by name', async () => {
        await apply(...NASTY.map((tag) => upsert(row(organization, { tags: [tag] }))));
        const found = (await reader.tags({ organization, tags: 'all' }, 0)).map(({ tag }) => tag);
        expect(new Set(found)).toEqual(new Set(NASTY));
        expect(found).toHaveLength(NASTY.length);
        for (const tag of NASTY) expect(Object.keys(await totals([tag]))).toEqual([tag]);
      });
    });

    describe('search', () => {
      const arbitraryDocument = fc.record({
        tags: fc.subarray(['a', 'b', 'c', 'a/b'], { minLength: 1 }),
        metadata: arbitraryMetadata.map(flat),
        filepath: fc.constantFrom('/a/b.md', '/a%/x', '/ab/x', null),
        texts: fc.array(fc.constantFrom('common walrus', 'common', 'common common ostrich', 'a common bird'), {
          maxLength: 3,
        }),
        mine: fc.boolean(),
      });
      const arbitraryQuery = fc.record({
        tags: fc.oneof(fc.constant('all' as const), fc.subarray(['a', 'b', 'c', 'a/b', 'd'])),
        filter: fc.option(arbitraryFilter, { freq: 2 }),
        filepath: fc.option(fc.constantFrom('/a/', '/a%/', '/a/b.md', '%'), { freq: 2 }),
        document: fc.option(fc.nat({ max: 11 }), { freq: 1 }),
        kind: fc.constantFrom('chunk' as const, 'memory' as const),
      });

      it('finds in every scope exactly the units that a plain predicate lets through', async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.array(arbitraryDocument, { minLength: 1, maxLength: 12 }),
            fc.array(arbitraryQuery, { minLength: 1, maxLength: 6 }),
            async (specs, queries) => {
              const mine = newOrganization();
              const other = newOrganization();
              const documents = specs.map(({ mine: isMine, texts, ...spec }) => ({
                row: row(isMine ? mine : other, spec),
                set: unitSet(...texts),
              }));
              await apply(...documents.map(({ row: document, set }) => upsert(document, set)));
              for (const { tags, filter, filepath, document, kind } of queries) {
                const documentId = document === null ? null : (documents[document]?.row.id ?? 'unknown');
                const query = { ...anyDocument(mine, tags), filter, filepath };
                const hits = await reader.search(searchFor('common', query, { kind, documentId }));
                const expected = documents
                  .filter(({ row: each }) => isWanted(query, each) && (documentId ?? each.id) === each.id)
                  .flatMap(({ row: each, set }) =>
                    set.units.filter((unit) => unit.kind === kind).map((unit) => ({ unit, document: each })),
                  );
                const byId = (a: { unit: { id: string } }, b: { unit: { id: string } }) =>
                  a.unit.id < b.unit.id ? -1 : 1;
                expect(hits.map(({ unit, document: found }) => ({ unit, document: found })).sort(byId)).toEqual(
                  expected.sort(byId),
                );
                expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a));
              }
            },
          ),
          { numRuns: 40 },
        );
      });

      it('filters before it ranks and limits', async () => {
        const rows = Array.from({ length: 60 }, (_, i) =>
          row(organization, { metadata: { n: i }, filepath: `/${i}/x`, tags: ['tag', `set-${i % 5}`] }),
        );
        await apply(...rows.map((each, i) => upsert(each, unitSet(i === 59 ? 'a walrus among others' : 'walrus'))));
        const last = rows[59] as DocumentRow;
        const query = anyDocument(organization, ['tag']);
        expect(await foundBy(reader, searchFor('walrus', query, { limit: 20 }))).not.toContain(last.id);
        const only: Partial<DocumentQuery & { documentId: string }>[] = [
          { filter: parsed({ AND: [{ key: 'n', value: 59 }] }) },
          { filepath: '/59/' },
          { documentId: last.id },
        ];
        for (const each of only) {
          expect(await foundBy(reader, searchFor('walrus', query, { ...each, limit: 1 }))).toEqual([last.id]);
        }
      });

      it('compares a unit by the nearest of its vectors, and its context by those of its neighbours', async () => {
        const document = row(organization, { vectorSpaces: [SPACE] });
        const set = inWindows(embedded(['one', 'two', 'three', 'four'], [0, 1, 2, 3]));
        await apply(upsert(document, set));
        const evidenceOf = async (kind: UnitKind, axis: number, query: DocumentQuery) => {
          const vector = { space: SPACE, values: direction(axis) };
          const hits = await reader.search(searchFor('walrus', query, { kind, vectors: [vector] }));
          const found = hits.toSorted((a, b) => a.unit.ordinal - b.unit.ordinal);
          expect(found.map(({ unit }) => unit.text)).toEqual(['one', 'two', 'three', 'four']);
          return found.map(({ evidence }) => evidence);
        };
        const check = async (query: DocumentQuery) => {
          const chunks = await evidenceOf('chunk', 21, query);
          expect(chunks.map(({ cosineBare }) => (cosineBare as number) > 0.9)).toEqual([false, true, false, false]);
          expect(chunks.map(({ cosineWide }) => cosineWide)).toEqual([null, null, null, null]);
          const memories = await evidenceOf('memory', 3, query);
          expect(memories.map(({ cosineBare }) => (cosineBare as number) > 0.9)).toEqual([false, false, false, true]);
          // The weights are 1, 2, 3 and 4; the context of the first unit ends before the fourth one.
          const expected = [0, 4 / Math.hypot(1, 2, 3, 4), 4 / Math.hypot(1, 2, 3, 4), 4 / Math.hypot(2, 3, 4)];
          for (const [i, { cosineWide }] of memories.entries()) {
            expect(Math.abs((cosineWide as number) - (expected[i] as number))).toBeLessThan(0.15);
          }
        };
        await check(anyDocument(organization));
        await apply(upsert({ ...document, tags: ['moved'], revision: document.revision + 1 }));
        await check(anyDocument(organization, ['moved']));
        const [first] = set.units;
        const put = [{ unit: { ...(first as Unit), speaker: 'Ann' }, vectors: set.vectors?.[0] ?? null }];
        const changed = { ...document, tags: ['moved'], revision: document.revision + 2 };
        await apply(upsert(changed, { put, remove: [], header: '' }));
        await check(anyDocument(organization, ['moved']));
      });

      it('orders chunks by the vector of their document first, and by the nearest memory without one', async () => {
        const space = 'windows.2.32';
        const chunkOf = async (bare: number, wide: number | null) => {
          const document = row(organization, { vectorSpaces: [space] });
          const vectors = { bare: quantize(direction(bare)), wide: wide === null ? null : quantize(direction(wide)) };
          const units = unitSet('seals sleep').units.filter(({ kind }) => kind === 'chunk');
          await apply(upsert(document, { units, header: '', vectors: [vectors] }));
          return document.id;
        };
        const near = [await chunkOf(3, 9)];
        const whole = await chunkOf(9, 3);
        near.push(await chunkOf(3, 9));
        const vectors = [{ space, values: direction(3) }];
        const find = () => foundBy(reader, searchFor('walrus', anyDocument(organization), { kind: 'chunk', vectors }));
        const [first, ...rest] = await find();
        expect(first).toBe(whole);
        expect(rest.sort()).toEqual(near.toSorted());
        const alone = await chunkOf(3, null);
        expect((await find())[0]).toBe(alone);
      });

      it('compares vectors within one space, and goes by words elsewhere', async () => {
        const near = row(organization, { vectorSpaces: [SPACE] });
        const far = row(organization, { vectorSpaces: [SPACE] });
        const older = row(organization, { vectorSpaces: [OTHER_SPACE] });
        const plain = row(organization);
        await apply(
          upsert(near, embedded(['a dog barks'], [3])),
          upsert(far, embedded(['rain falls'], [9])),
          upsert(older, embedded(['walrus sleeps'], [3])),
          upsert(plain, unitSet('a walrus swims far out in the cold sea')),
        );
        const vector = { space: SPACE, values: direction(3) };
        const query = anyDocument(organization);
        const hits = await reader.search(searchFor('walrus', query, { vectors: [vector] }));
        const cosines = new Map(hits.map(({ document, evidence }) => [document.id, evidence.cosineBare]));
        expect(cosines.get(near.id)).toBeGreaterThan(0.9);
        expect(cosines.get(far.id)).toBeLessThan(0.5);
        expect(cosines.get(older.id)).toBeNull();
        expect(cosines.get(plain.id)).toBeNull();

        const inOther = await reader.search(
          searchFor('walrus', query, { vectors: [{ space: OTHER_SPACE, values: direction(3) }] }),
        );
        expect(inOther[0]?.document.id).toBe(older.id);
        expect(inOther[0]?.evidence.cosineBare).toBeGreaterThan(0.9);
        const inNone = await reader.search(
          searchFor('walrus', query, { vectors: [{ space: 'never/seen/32', values: direction(3) }] }),
        );
        expect(inNone.every(({ evidence }) => evidence.cosineBare === null)).toBe(true);
        expect(inNone.slice(0, 2).map(({ document }) => document.id)).toEqual(
          expect.arrayContaining([older.id, plain.id]),
        );
        const byWords = await reader.search(searchFor('walrus', query));
        expect(byWords.every(({ evidence }) => evidence.cosineBare === null)).toBe(true);
      });

      describe('with vectors of two spaces', () => {
        const vectors = [
          { space: SPACE, values: direction(3) },
          { space: OTHER_SPACE, values: direction(7) },
        ];
        const find = (wanted: readonly QuestionVector[], limit = 1000) =>
          reader.search(searchFor('walrus', anyDocument(organization), { vectors: wanted, limit }));

        it('compares each document in its own space, and joins them by their similarity', async () => {
          const [one, two, far, other] = [SPACE, OTHER_SPACE, SPACE, OTHER_SPACE].map((space) =>
            row(organization, { vectorSpaces: [space] }),
          ) as [DocumentRow, DocumentRow, DocumentRow, DocumentRow];
          const plain = row(organization);
          await apply(
            upsert(one, embedded(['a dog barks', 'it rains'], [3, 11])),
            upsert(two, embedded(['Ein Hund bellt', 'es regnet'], [7, 12])),
            ...[upsert(far, embedded(['snow falls'], [9])), upsert(other, embedded(['Schnee fällt'], [13]))],
            upsert(plain, unitSet('the walrus swims')),
          );
          const hits = await find(vectors);
          const cosines = new Map(hits.map(({ unit, evidence }) => [unit.text, evidence.cosineBare]));
          expect(cosines.get('a dog barks')).toBeGreaterThan(0.9);
          expect(cosines.get('Ein Hund bellt')).toBeGreaterThan(0.9);
          expect(cosines.get('Schnee fällt')).toBeLessThan(0.5);
          expect(cosines.get('the walrus swims')).toBeNull();
          expect(hits).toHaveLength(7);
          const best = hits.slice(0, 3).map(({ unit }) => unit.text);
          expect(best.toSorted()).toEqual(['Ein Hund bellt', 'a dog barks', 'the walrus swims']);
          expect((await find(vectors, 2)).map(({ unit }) => unit.text)).toEqual(best.slice(0, 2));
        });

        it('answers as with one of them, to the last digit, where no document has vectors of the other', async () => {
          await apply(
            upsert(row(organization, { vectorSpaces: [SPACE] }), embedded(['a walrus barks', 'it rains'], [3, 11])),
            upsert(row(organization), unitSet('the walrus swims')),
          );
          expect(await find(vectors)).toEqual(await find(vectors.slice(0, 1)));
        });

        it('says which of the spaces a scope holds', async () => {
          const held = (tags: DocumentQuery['scope']['tags'], ...spaces: string[]) =>
            reader.heldSpaces({ organization, tags }, spaces);
          const other = row(organization, { vectorSpaces: [OTHER_SPACE], tags: ['other'] });
          await apply(
            upsert(row(organization, { vectorSpaces: [SPACE], tags: ['one'] }), embedded(['a dog barks'], [3])),
            upsert(other, embedded(['Ein Hund bellt'], [7])),
          );
          const own = (...spaces: readonly string[]) => spaces.map((space) => ({ space, isOwn: true }));
          expect(await held(['one'], OTHER_SPACE, SPACE, 'third')).toEqual(own(SPACE));
          expect(await held(['one', 'other'], OTHER_SPACE, SPACE)).toEqual(own(OTHER_SPACE, SPACE));
          expect(await held('all', OTHER_SPACE)).toEqual(own(OTHER_SPACE));
          expect(await held([], OTHER_SPACE)).toEqual([]);
          expect(await reader.heldSpaces({ organization: newOrganization(), tags: 'all' }, [SPACE])).toEqual([]);
          await apply(removal({ ...other, revision: other.revision + 1 }));
          expect(await held('all', OTHER_SPACE)).toEqual([]);
        });

        it('follows a document into the other space', async () => {
          const document = row(organization, { vectorSpaces: [SPACE] });
          await apply(upsert(document, embedded(['a dog barks'], [3])));
          expect((await find(vectors))[0]?.evidence.cosineBare).toBeGreaterThan(0.9);
          const moved = { ...document, vectorSpaces: [OTHER_SPACE], revision: document.revision + 1 };
          await apply(upsert(moved, embedded(['a dog barks'], [7])));
          const [hit, ...rest] = await find(vectors);
          expect(rest).toEqual([]);
          expect(hit?.evidence.cosineBare).toBeGreaterThan(0.9);
          expect(hit?.document.vectorSpaces).toEqual([OTHER_SPACE]);
        });
      });

      describe('of documents with a second space', () => {
        const ofSpaces = (own: number, other: number): readonly QuestionVector[] => [
          { space: SPACE, values: direction(own) },
          { space: OTHER_SPACE, values: direction(other) },
        ];
        const find = (vectors: readonly QuestionVector[], tags: DocumentQuery['scope']['tags'] = 'all') =>
          reader.search(searchFor('walrus', anyDocument(organization, tags), { vectors, limit: 1000 }));
        const both = (overrides: Partial<DocumentRow> = {}) =>
          row(organization, { vectorSpaces: [SPACE, OTHER_SPACE], ...overrides });
        const units = () => withSecond(embedded(['a dog barks', 'it rains'], [3, 11]), [7, 12]);
        const cosineOf = (hits: readonly UnitHit[], text: string) => {
          const [hit, ...others] = hits.filter(({ unit }) => unit.text === text);
          expect(others).toEqual([]);
          return [hit?.space, Math.round((hit?.evidence.cosineBare ?? Number.NaN) * 10)];
        };

        it('compares each in the first space of the query in which it has vectors', async () => {
          const german = row(organization, { vectorSpaces: [OTHER_SPACE] });
          const english = row(organization, { vectorSpaces: [SPACE] });
          await apply(
            upsert(both(), units()),
            ...[upsert(german, embedded(['Ein Hund bellt'], [7])), upsert(english, embedded(['snow falls'], [3]))],
            upsert(row(organization), unitSet('the walrus swims')),
          );
          const english1 = await find(ofSpaces(3, 7));
          expect(cosineOf(english1, 'a dog barks')).toEqual([SPACE, 10]);
          expect(cosineOf(english1, 'Ein Hund bellt')).toEqual([OTHER_SPACE, 10]);
          expect(english1).toHaveLength(5);
          const other = await find(ofSpaces(3, 7).toReversed());
          expect(cosineOf(other, 'a dog barks')).toEqual([OTHER_SPACE, 10]);
          expect(cosineOf(other, 'it rains')).toEqual([OTHER_SPACE, 0]);
          expect(cosineOf(other, 'Ein Hund bellt')).toEqual([OTHER_SPACE, 10]);
          expect(cosineOf(other, 'snow falls')).toEqual([SPACE, 10]);
          expect(other.find(({ unit }) => unit.text === 'the walrus swims')?.space).toBeNull();
          expect(other).toHaveLength(5);
          const alone = await find(ofSpaces(3, 7).slice(1));
          expect(cosineOf(alone, 'a dog barks')).toEqual([OTHER_SPACE, 10]);
        });

        it('answers in their own space as if there were no other, to the last digit', async () => {
          const document = row(organization, { vectorSpaces: [SPACE] });
          const own = embedded(['a walrus barks', 'it rains'], [3, 11]);
          await apply(upsert(document, own), upsert(row(organization), unitSet('the walrus swims')));
          const scores = async () =>
            (await find(ofSpaces(3, 7).slice(0, 1))).map(({ unit, score, evidence }) => [unit.text, score, evidence]);
          const before = await scores();
          const second = { ...document, vectorSpaces: [SPACE, OTHER_SPACE], revision: document.revision + 1 };
          await apply(upsert(second, withSecond(own, [7, 12])));
          expect(await scores()).toEqual(before);
        });

        it('says that a second space is held, and is no own one', async () => {
          const document = both({ tags: ['one'] });
          await apply(upsert(document, units()));
          const held = () => reader.heldSpaces({ organization, tags: ['one'] }, [SPACE, OTHER_SPACE]);
          expect(await held()).toEqual([
            { space: SPACE, isOwn: true },
            { space: OTHER_SPACE, isOwn: false },
          ]);
          await apply(removal({ ...document, revision: document.revision + 1 }));
          expect(await held()).toEqual([]);
        });

        it('keeps the second vectors under other tags', async () => {
          const document = both({ tags: ['one'] });
          await apply(upsert(document, units()));
          const [moved] = (await find(ofSpaces(5, 7).toReversed(), ['one'])).slice(0, 1);
          expect(moved?.document.vectorSpaces).toEqual([SPACE, OTHER_SPACE]);
          await apply(upsert({ ...document, tags: ['two'], revision: document.revision + 1 }));
          expect(await find(ofSpaces(5, 7), ['one'])).toEqual([]);
          const hits = await find(ofSpaces(5, 7).toReversed(), ['two']);
          expect(cosineOf(hits, 'a dog barks')).toEqual([OTHER_SPACE, 10]);
          expect(await reader.heldSpaces({ organization, tags: ['two'] }, [OTHER_SPACE])).toHaveLength(1);
        });

        it('replaces and removes the second vectors with the units', async () => {
          const document = both();
          await apply(upsert(document, units()));
          const next = (vectorSpaces: readonly string[], set: UnitSet, revision: number) =>
            upsert({ ...document, vectorSpaces, revision: document.revision + revision }, set);
          const other = withSecond(embedded(['a dog barks', 'a cat'], [3, 4]), [8, 7]);
          await apply(next([SPACE, OTHER_SPACE], other, 1));
          const changed = await find(ofSpaces(5, 7).toReversed());
          expect(cosineOf(changed, 'a cat')).toEqual([OTHER_SPACE, 10]);
          expect(cosineOf(changed, 'a dog barks')).toEqual([OTHER_SPACE, 0]);
          await apply(next([SPACE], embedded(['a dog barks'], [3]), 2));
          const without = await find(ofSpaces(3, 7).toReversed());
          expect(cosineOf(without, 'a dog barks')).toEqual([SPACE, 10]);
          expect(await reader.heldSpaces({ organization, tags: 'all' }, [OTHER_SPACE])).toEqual([]);
        });

        it('refuses second vectors without the name of their space', async () => {
          await expect(apply(upsert(both({ vectorSpaces: [SPACE] }), units()))).rejects.toThrow();
        });

        it('compares chunks by all of their vectors', async () => {
          const set = unitSet('a dog barks');
          const vectors = inWindows(embedded(['a dog barks'], [3])).vectors as readonly IndexedUnitVectors[];
          const own = embedded(['a dog barks'], [5]).vectors;
          await apply(upsert(both(), { ...set, vectors: own, second: vectors }));
          const hits = await reader.search(
            searchFor('walrus', anyDocument(organization), { vectors: ofSpaces(5, 20).toReversed(), kind: 'chunk' }),
          );
          expect(cosineOf(hits, 'a dog barks')).toEqual([OTHER_SPACE, 10]);
        });
      });

      describe('with the core of the question', () => {
        const question = 'When did Ann see the walrus?';
        const vector = { space: SPACE, values: direction(3), core: direction(5) };
        const search = (core: boolean, limit = 1000) => {
          const vectors = [core ? vector : { space: SPACE, values: vector.values }];
          return reader.search(searchFor(question, anyDocument(organization), { vectors, limit }));
        };
        const isTurn = ({ unit, document }: UnitHit) => unit.speaker !== null && document.documentDate !== null;
        const shape = (hits: readonly UnitHit[]) => hits.map((hit) => (isTurn(hit) ? 'a turn' : hit.unit.text));

        it('the ranker reorders units with a speaker and a date among the places that they hold', async () => {
          const dated = row(organization, { vectorSpaces: [SPACE], documentDate: '2024-05-08T10:00:00Z' });
          const undated = row(organization, { vectorSpaces: [SPACE] });
          const note = row(organization, { vectorSpaces: [SPACE], documentDate: '2024-05-08' });
          const texts = ['Bob: a walrus, really?', 'Ann: yes, on Monday I saw a walrus', 'Bob: nice', 'Ann: bye'];
          await apply(
            upsert(dated, conversation(texts, [3, 5, 9, 4])),
            upsert(undated, conversation(['Eve: the walrus was asleep'], [3])),
            upsert(note, embedded(['The walrus lives in the north.', 'Seals do not.'], [3, 8])),
          );
          const [base, ranked] = [await search(false), await search(true)];
          expect(shape(ranked)).toEqual(shape(base));
          expect(base.filter(isTurn)[0]?.unit.text).toBe(texts[0]);
          expect(ranked.filter(isTurn)[0]?.unit.text).toBe(texts[1]);
          expect(ranked.map(({ features }) => features !== null)).toEqual(ranked.map(isTurn));
          expect(base.every(({ features }) => features === null)).toBe(true);
          expect(ranked.filter(isTurn)[0]?.features).toMatchObject({ namedSpeaker: 1, core: 1, time: 1, question: 0 });
          expect(ranked.find(({ unit }) => unit.text === texts[0])?.features).toMatchObject({
            ...{ otherSpeaker: 1, question: 1, previous: 0 },
          });
          expect(ranked.find(({ unit }) => unit.text === texts[1])?.features?.previous).toBeGreaterThan(0);
        });

        it('a smaller limit gives the beginning of the same list', async () => {
          const document = row(organization, { vectorSpaces: [SPACE], documentDate: '2024-05-08' });
          const axes = Array.from({ length: 12 }, (_, i) => (i % 4) + 3);
          const texts = axes.map((axis, i) => `Ann: walrus ${axis} ${i}`);
          await apply(upsert(document, conversation(texts, axes)));
          const all = await search(true);
          expect(all).toHaveLength(12);
          expect(await search(true, 3)).toEqual(all.slice(0, 3));
        });

        it('nothing changes where no unit has a speaker', async () => {
          const document = row(organization, { vectorSpaces: [SPACE], documentDate: '2024-05-08' });
          await apply(upsert(document, embedded(['a walrus', 'seals', 'Ann saw a walrus'], [9, 5, 3])));
          expect(await search(true)).toEqual(await search(false));
        });
      });

      it('finds nothing for limit 0, an unknown organization, unknown tags or no tag', async () => {
        await apply(upsert(row(organization), unitSet('walrus')));
        expect(await reader.search(searchFor('walrus', anyDocument(organization), { limit: 0 }))).toEqual([]);
        expect(await reader.search(searchFor('walrus', anyDocument(newOrganization())))).toEqual([]);
        expect(await reader.search(searchFor('walrus', anyDocument(organization, ['other'])))).toEqual([]);
        expect(await reader.search(searchFor('walrus', anyDocument(organization, [])))).toEqual([]);
      });
    });

    apartFromSearches('frequencies of terms', () => {
      const hashes = (...words: readonly string[]) => words.map((word) => termHash(stem(word)));
      const count = (words: readonly string[], tags: DocumentQuery['scope']['tags'] = 'all', of = organization) =>
        reader.termFrequencies({ scope: { organization: of, tags }, kind: 'memory', terms: hashes(...words) });

      it('count units of the scope, in the order of the terms', async () => {
        await apply(
          upsert(row(organization, { tags: ['a'] }), unitSet('a walrus and a walrus', 'an ostrich')),
          upsert(row(organization, { tags: ['b'], vectorSpaces: [SPACE] }), embedded(['a walrus swims', 'x'], [1, 2])),
          upsert(row(newOrganization(), { tags: ['a'] }), unitSet('walrus', 'zebra')),
        );
        expect(await count(['ostrich', 'walrus', 'zebra'])).toEqual([1, 2, 0]);
        expect(await count(['ostrich', 'walrus', 'zebra'], ['b', 'x'])).toEqual([0, 1, 0]);
        expect(await count(['walrus'], [])).toEqual([0]);
        expect(await count(['walrus'], 'all', newOrganization())).toEqual([0]);
        expect(await count([])).toEqual([]);
      });

      it('find a few that occur among many that do not', async () => {
        await apply(upsert(row(organization), unitSet('walrus', 'a walrus and an ostrich')));
        const others = Array.from({ length: 700 }, (_, i) => `unknown${i}`);
        const counts = await count(['walrus', ...others, 'ostrich']);
        expect([counts[0], counts.at(-1)]).toEqual([2, 1]);
        expect(counts.filter((each) => each > 0)).toHaveLength(2);
      });

      it('find the first of many terms beside units that hold several others, and one behind a frequent term', async () => {
        const others = Array.from({ length: 80 }, (_, i) => `unknown${i}`);
        const frequent = Array.from({ length: 60 }, () => 'zebra zebu zorilla');
        await apply(upsert(row(organization), unitSet('walrus', 'ostrich', ...frequent)));
        const counts = await count(['walrus', 'zebra', 'zebu', 'zorilla', ...others, 'ostrich']);
        expect([...counts.slice(0, 4), counts.at(-1)]).toEqual([1, 60, 60, 60, 1]);
      });

      it('follow edits, other tags and deletions', async () => {
        const document = row(organization, { tags: ['a'], revision: 1 });
        await apply(upsert(document, unitSet('walrus', 'ostrich')));
        await apply(upsert({ ...document, revision: 2 }, unitSet('walrus', 'zebra')));
        expect(await count(['walrus', 'ostrich', 'zebra'])).toEqual([1, 0, 1]);
        await apply(upsert({ ...document, tags: ['b'], revision: 3 }));
        expect(await count(['walrus'], ['a'])).toEqual([0]);
        expect(await count(['walrus'], ['b'])).toEqual([1]);
        await apply(removal({ ...document, revision: 4 }));
        expect(await count(['walrus', 'zebra'])).toEqual([0, 0]);
      });
    });

    it('finds documents by the request that added them, within a time and a scope, the newest first', async () => {
      const MINUTE = 60_000;
      const [hash, similar] = ['0123456789abcdef', '0123456789abcdee'];
      const until = MOMENT + 10 * MINUTE;
      const first = row(organization, { sent: hash, createdAt: MOMENT, tags: ['a'] });
      const second = row(organization, { sent: hash, createdAt: until, tags: ['a', 'b'] });
      const late = row(organization, { sent: hash, createdAt: until + 1, tags: ['a'] });
      const other = row(organization, { sent: similar, createdAt: MOMENT, tags: ['a'] });
      const unnamed = row(organization, { createdAt: MOMENT });
      const foreign = row(newOrganization(), { sent: hash, createdAt: MOMENT });
      const all = [first, second, late, other, unnamed, foreign];
      await apply(...all.map((each) => upsert(each, unitSet('walrus'))));
      const found = async (sent: readonly string[], tags: DocumentQuery['scope']['tags'] = 'all', since = MOMENT) =>
        reader.addedAs({ organization, tags }, sent, { since, until });
      expect(await found([hash])).toEqual([second, first]);
      expect(await found([hash], ['b'])).toEqual([second]);
      expect(await found([hash], ['c'])).toEqual([]);
      expect(await found([hash], 'all', MOMENT + 1)).toEqual([second]);
      expect((await found([hash, similar])).map(({ id }) => id).sort()).toEqual([first.id, second.id, other.id].sort());
      expect(await found(['ffffffffffffffff'])).toEqual([]);
      expect(await found([])).toEqual([]);
      // The field stays with the row through its changes, and goes with it.
      const changed: DocumentRow = { ...second, stage: 'failed', tags: ['d'], revision: second.revision + 1 };
      await apply(upsert(changed), removal({ ...first, revision: first.revision + 1 }));
      expect(await found([hash])).toEqual([changed]);
    });

    describe('strings that look like something else', () => {
      it('match themselves and nothing else: tags, ids, customId, filepath, source, filter, organization', async () => {
        const rows = NASTY.map((text, i) =>
          row(organization, {
            ...{ id: `${i}${text}`, tags: [`t${text}`, 'every'], customId: text, filepath: `${text}/file` },
            ...{ source: text, title: text, metadata: { [`k${i}`]: text } },
          }),
        );
        const foreign = NASTY.map((text) => row(`${organization}${text}` as OrganizationId, { tags: [`t${text}`] }));
        await apply(...rows.map((each, i) => upsert(each, unitSet(`walrus number ${i}`))));
        await apply(...foreign.map((each) => upsert(each, unitSet('walrus'))));
        for (const [i, text] of NASTY.entries()) {
          const own = [`${i}${text}`];
          const one = anyDocument(organization, [`t${text}`]);
          const every = anyDocument(organization);
          const seen = {
            tag: await listed(listOf(one)),
            customId: await listed(listOf(every, { customIds: [text] })),
            source: await listed(listOf(every, { sources: [text] })),
            filepath: await listed(listOf({ ...every, filepath: `${text}/file` })),
            search: await foundBy(reader, searchFor('walrus', one)),
            id: (await reader.documents(every.scope, own)).map(({ id }) => id),
            document: await foundBy(reader, searchFor('walrus', every, { documentId: own[0] as string })),
            equals: await listed(listOf({ ...every, filter: parsed({ AND: [{ key: `k${i}`, value: text }] }) })),
            organization: await listed(listOf(anyDocument(`${organization}${text}` as OrganizationId))),
          };
          expect(seen).toEqual({
            ...{
              tag: own,
              customId: own,
              source: own,
              filepath: own,
              search: own,
              id: own,
              document: own,
              equals: own,
            },
            organization: [foreign[i]?.id],
          });
        }
      });

      it('take a path literally up to its slash', async () => {
        const paths = ['%/x', '_/x', 'a/x', 'a/x/y', 'a', 'a0', 'ab/x', '\ud800/x', '\ud801/x', '\ufffd/x'];
        await apply(...paths.map((filepath) => upsert(row(organization, { id: filepath, filepath }))));
        const under = async (filepath: string) =>
          (await listed(listOf({ ...anyDocument(organization), filepath }))).sort();
        expect(await under('%/')).toEqual(['%/x']);
        expect(await under('_/')).toEqual(['_/x']);
        expect(await under('a/')).toEqual(['a/x', 'a/x/y']);
        expect(await under('\ud800/')).toEqual(['\ud800/x']);
        expect(await under('/')).toEqual([]);
      });

      it('are found with characters that are not shown, and are returned with them', async () => {
        const text = 'the light\u00adhouse and the break\u200bwater by the foot\u2060bridge, har\ufeffbour';
        await apply(upsert(row(organization), unitSet(text)));
        for (const word of ['lighthouse', 'breakwater', 'footbridge', 'harbour']) {
          const [hit] = await reader.search(searchFor(word, anyDocument(organization)));
          expect(hit).toMatchObject({ unit: { text }, evidence: { coverage: 1 } });
        }
      });

      it('are no query syntax', async () => {
        const document = row(organization);
        await apply(upsert(document, unitSet('walrus')));
        for (const text of NASTY) {
          const hits = await reader.search(searchFor(`${text} walrus ${text}`, anyDocument(organization)));
          expect(hits.map((hit) => hit.document.id)).toEqual([document.id]);
        }
      });
    });

    describe('single units', () => {
      const memories = async (document: DocumentRow) =>
        (await load(document))[0]?.units.filter(({ kind }) => kind === 'memory');

      it('are added, changed and removed, and leave the others as they are', async () => {
        const document = row(organization);
        const [a, b, c] = units('memory', ['a walrus', 'a penguin', 'an ostrich']) as [Unit, Unit, Unit];
        const chunks = units('chunk', ['a walrus, a penguin, an ostrich']);
        await apply(upsert(document, { units: [...chunks, a, b, c], header: '', vectors: null }));
        const added = { ...a, id: 'added', ordinal: 2, text: 'a flamingo' };
        const changed = { ...c, ordinal: 1, text: 'two ostriches', speaker: 'Ann' };
        const put = [changed, added].map((unit) => ({ unit, vectors: null }));
        await apply(upsert({ ...document, revision: 4 }, { put, remove: [b.id], header: '' }));
        expect(await memories(document)).toEqual([a, changed, added]);
        expect((await load(document))[0]?.units.filter(({ kind }) => kind === 'chunk')).toEqual(chunks);
        const query = anyDocument(organization);
        const found = async (word: string) =>
          (await reader.search(searchFor(word, query))).filter(({ evidence }) => evidence.coverage === 1);
        expect((await found('penguin')).map(({ unit }) => unit)).toEqual([]);
        expect((await found('ostrich')).map(({ unit }) => unit)).toEqual([changed]);
        expect((await found('flamingo')).map(({ unit }) => unit)).toEqual([added]);
      });

      it('get another location under the id that they have', async () => {
        const document = row(organization);
        const [a, b] = units('memory', ['a walrus', 'a penguin']) as [Unit, Unit];
        const placed = (unit: Unit, at: number): Unit => ({ ...unit, location: { row: at } });
        await apply(upsert(document, { units: [placed(a, 2), b], header: '', vectors: null }));
        const set = { units: [placed(a, 3), placed(b, 4)], header: '', vectors: null };
        await apply(upsert({ ...document, revision: 4 }, set));
        expect(await memories(document)).toEqual(set.units);
        const [hit] = await reader.search(searchFor('penguin', anyDocument(organization)));
        expect(hit?.unit.location).toEqual({ row: 4 });
        await apply(upsert({ ...document, revision: 5 }, { units: [a, b], header: '', vectors: null }));
        expect(await memories(document)).toEqual([a, b]);
      });

      it('follow other changes of one batch', async () => {
        const document = row(organization);
        const [a, b] = units('memory', ['a walrus', 'a penguin']) as [Unit, Unit];
        const set = { units: [a], header: '', vectors: null };
        const add = { put: [{ unit: b, vectors: null }], remove: [], header: '' };
        const swap = { put: [{ unit: { ...b, ordinal: 0 }, vectors: null }], remove: [a.id], header: '' };
        await apply(
          upsert(document, set),
          upsert({ ...document, revision: 4 }, add),
          upsert({ ...document, revision: 5 }, swap),
        );
        expect(await memories(document)).toEqual([{ ...b, ordinal: 0 }]);
        await apply(upsert({ ...document, revision: 6 }, { put: [], remove: [b.id], header: '' }));
        expect(await memories(document)).toEqual([]);
      });

      it('keep their vectors, unless the document changes to another space', async () => {
        const document = row(organization, { vectorSpaces: [SPACE] });
        const set = embedded(['a walrus', 'a penguin'], [3, 9]);
        await apply(upsert(document, set));
        const [first] = set.units.filter(({ kind }) => kind === 'memory') as [Unit];
        const [vectors] = embedded(['x'], [20]).vectors ?? [];
        const put = [{ unit: { ...first, id: 'new', text: 'a seal' }, vectors: vectors ?? null }];
        await apply(upsert({ ...document, revision: 4 }, { put, remove: [first.id], header: '' }));
        const cosines = async (space: string, axis: number) => {
          const vectors = [{ space, values: direction(axis) }];
          const hits = await reader.search(searchFor('walrus', anyDocument(organization), { vectors }));
          return new Map(hits.map(({ unit, evidence }) => [unit.text, evidence.cosineBare]));
        };
        expect((await cosines(SPACE, 9)).get('a penguin')).toBeGreaterThan(0.9);
        expect((await cosines(SPACE, 20)).get('a seal')).toBeGreaterThan(0.9);
        const other = { ...document, vectorSpaces: [OTHER_SPACE], revision: 5 };
        const [otherVectors] = embedded(['x'], [7]).vectors ?? [];
        await apply(
          upsert(other, {
            put: [{ unit: { ...first, id: 'new', text: 'a seal' }, vectors: otherVectors ?? null }],
            remove: [],
            header: '',
          }),
        );
        expect((await cosines(OTHER_SPACE, 7)).get('a seal')).toBeGreaterThan(0.9);
        expect((await cosines(OTHER_SPACE, 9)).get('a penguin') ?? null).toBeNull();
      });

      it('must leave no gap between the ordinals', async () => {
        const document = row(organization);
        const [a, b] = units('memory', ['a walrus', 'a penguin']) as [Unit, Unit];
        await apply(upsert(document, { units: [a, b], header: '', vectors: null }));
        const change = upsert({ ...document, revision: 4 }, { put: [], remove: [a.id], header: '' });
        await expect(apply(change)).rejects.toThrow(RangeError);
        expect(await memories(document)).toEqual([a, b]);
      });
    });

    apartFromSearches('rows of a read model', () => {
      /** Streams belong to one organization. */
      const book = (n: number) => `book-${organization}_${n}`;
      const titles = async (query = rowsOf(organization)) =>
        (await reader.rows(query)).rows.map(({ values }) => values.title);

      it('come back as they were, whatever they say', async () => {
        const values = NASTY.map((title, i) => ({ title, pages: i % 3 === 0 ? null : i / 7 }));
        const changes = values.map((each, i) => rowsAt(organization, book(i), i, [each], { tags: NASTY }));
        await apply(...changes);
        const { rows, total } = await reader.rows(rowsOf(organization));
        expect(total).toBe(NASTY.length);
        const byRevision = (a: { revision: number }, b: { revision: number }) => a.revision - b.revision;
        expect([...rows].sort(byRevision)).toEqual(changes.flatMap((change) => change.rows));
        for (const title of NASTY) expect(await titles(rowsOf(organization, { equals: { title } }))).toEqual([title]);
      });

      it('are found within their scope alone', async () => {
        await apply(
          rowsAt(organization, book(1), 0, [{ title: 'a', pages: 1 }], { tags: ['one', 'both'] }),
          rowsAt(organization, book(2), 0, [{ title: 'b', pages: 1 }], { tags: ['two', 'both'] }),
          rowsAt(newOrganization(), book(3), 0, [{ title: 'c', pages: 1 }], { tags: ['one'] }),
        );
        const within = (...tags: readonly string[]) => titles(rowsOf(organization, { scope: { organization, tags } }));
        expect(await titles()).toEqual(['a', 'b']);
        expect(await within('one')).toEqual(['a']);
        expect(await within('one', 'two', 'both')).toEqual(['a', 'b']);
        expect(await within('other')).toEqual([]);
        expect(await within()).toEqual([]);
      });

      it('are compared, sorted and paged', async () => {
        const values = [3, null, 1, 2, 2].map((pages, i) => ({ title: i % 2 === 0 ? 'even' : null, pages }));
        await apply(...values.map((each, i) => rowsAt(organization, book(i), i, [each])));
        const found = async (changes: Parameters<typeof rowsOf>[1]) => {
          const { rows, total } = await reader.rows(rowsOf(organization, changes));
          return [rows.map(({ revision }) => revision), total];
        };
        expect(await found({ sort: 'pages' })).toEqual([[1, 2, 3, 4, 0], 5]);
        expect(await found({ sort: 'pages', order: 'desc' })).toEqual([[0, 4, 3, 2, 1], 5]);
        expect(await found({ sort: 'pages', offset: 1, limit: 2 })).toEqual([[2, 3], 5]);
        expect(await found({ order: 'desc', limit: 1 })).toEqual([[4], 5]);
        expect(await found({ equals: { title: 'even' } })).toEqual([[0, 2, 4], 3]);
        expect(await found({ equals: { title: null } })).toEqual([[1, 3], 2]);
        expect(await found({ equals: { title: 'even', pages: 2 } })).toEqual([[4], 1]);
        expect(await found({ equals: { pages: 9 } })).toEqual([[], 0]);
        const between = (from: number | null, to: number | null) => ({ within: { column: 'pages', from, to } });
        expect(await found(between(2, 3))).toEqual([[0, 3, 4], 3]);
        expect(await found(between(null, 1))).toEqual([[2], 1]);
        expect(await found({ ...between(2, null), equals: { title: 'even' } })).toEqual([[0, 4], 2]);
        expect(await found(between(2.5, 2.9))).toEqual([[], 0]);
        const oneOf = (...values: readonly string[]) => ({ oneOf: { column: 'title', values } });
        expect(await found(oneOf('even', 'odd'))).toEqual([[0, 2, 4], 3]);
        expect(await found({ ...oneOf('even'), ...between(2, null) })).toEqual([[0, 4], 2]);
        expect(await found(oneOf('Even'))).toEqual([[], 0]);
      });

      it('replace those below the floor of their stream, and no older ones come after them', async () => {
        const at = (revision: number, ...all: readonly string[]) =>
          rowsAt(
            organization,
            book(1),
            revision,
            all.map((title) => ({ title, pages: revision })),
            { floor: revision },
          );
        await apply(at(2, 'a', 'b', 'c'));
        await apply(at(4, 'd'));
        expect(await titles()).toEqual(['d']);
        await apply(at(3, 'e', 'f'));
        expect(await titles()).toEqual(['d']);
        await apply(at(4, 'd'));
        expect(await titles()).toEqual(['d']);
        await apply(at(7), at(8, 'g', 'h'), at(9));
        expect(await titles()).toEqual([]);
        await apply(at(5, 'i'));
        expect(await titles()).toEqual([]);
        await apply(at(10, 'j'));
        expect(await titles()).toEqual(['j']);
      });

      it('are added to those of other revisions, once, until the stream is cleared', async () => {
        const at = (revision: number, floor: number | null = null) =>
          rowsAt(organization, book(1), revision, [{ title: `r${revision}`, pages: null }], { floor });
        await apply(at(5), at(7));
        await apply(at(5), at(2));
        expect(await titles()).toEqual(['r2', 'r5', 'r7']);
        await apply(rowsAt(organization, book(1), 6, [], { floor: 6 }));
        expect(await titles()).toEqual(['r7']);
        await apply(at(3), at(8));
        expect(await titles()).toEqual(['r7', 'r8']);
        await apply(at(9, 9));
        expect(await titles()).toEqual(['r9']);
        await apply(at(10));
        await apply(rowsAt(organization, book(1), 11, [], { floor: 11 }));
        expect(await titles()).toEqual([]);
      });

      it('of a read model that is not created yet can be asked for later, and cannot be written', async () => {
        const early = reader.rows(rowsOf(organization, { model: 'none' }));
        await expect(early).rejects.toMatchObject({ code: 'read_model_building', kind: 'transient' });
        const change = { ...rowsAt(organization, book(1), 0, []), model: 'none' };
        await expect(apply(change)).rejects.toThrow(RangeError);
      });
    });

    apartFromSearches('units of documents', () => {
      it('come by document and ordinal, of one kind, within the scope and up to a limit', async () => {
        const [a, b, other, empty] = [
          row(organization, { tags: ['a'] }),
          row(organization, { tags: ['a', 'b'] }),
          row(organization, { tags: ['other'] }),
          row(organization, { tags: ['a'] }),
        ];
        await apply(
          ...[
            upsert(a, unitSet('a0', 'a1', 'a2')),
            upsert(b, unitSet('b0')),
            upsert(other, unitSet('o')),
            upsert(empty),
          ],
        );
        const documentIds = [b.id, 'unknown', a.id, other.id, empty.id, b.id];
        const texts = async (tags: DocumentQuery['scope']['tags'], kind: UnitKind, limit = 100) =>
          (await reader.unitsOf({ organization, tags }, { documentIds, kind, limit })).map(({ unit }) => unit.text);
        expect(await texts(['a'], 'memory')).toEqual(['b0', 'a0', 'a1', 'a2']);
        expect(await texts('all', 'chunk')).toEqual(['b0', 'a0', 'a1', 'a2', 'o']);
        expect(await texts(['b'], 'memory')).toEqual(['b0']);
        expect(await texts('all', 'memory', 3)).toEqual(['b0', 'a0', 'a1']);
        expect(await texts('all', 'memory', 0)).toEqual([]);
        expect(await texts([], 'memory')).toEqual([]);
        const found = await reader.unitsOf(
          { organization, tags: 'all' },
          { documentIds: [a.id], kind: 'memory', limit: 9 },
        );
        expect(found).toEqual((await load(a))[0]?.units.slice(3).map((unit) => ({ documentId: a.id, unit })));
        await apply(upsert(a, unitSet('new')), removal(b));
        expect(await texts('all', 'memory')).toEqual(['new', 'o']);
      });
    });

    apartFromSearches('types', () => {
      it('are counted within the scope', async () => {
        const rows = DOCUMENT_TYPES.flatMap((type, i) =>
          Array.from({ length: i + 1 }, () => row(organization, { type, tags: [i % 2 === 0 ? 'even' : 'odd', 'all'] })),
        );
        await apply(...rows.map((each) => upsert(each)), upsert(row(newOrganization())));
        const counted = async (tags: DocumentQuery['scope']['tags']) =>
          new Map((await reader.countTypes({ organization, tags })).map(({ type, count }) => [type, count]));
        const expected = DOCUMENT_TYPES.map((type, i) => [type, i + 1] as const);
        expect(await counted('all')).toEqual(new Map(expected));
        expect(await counted(['all', 'even'])).toEqual(new Map(expected));
        expect(await counted(['even'])).toEqual(new Map(expected.filter((_, i) => i % 2 === 0)));
        expect(await counted(['none'])).toEqual(new Map());
        expect(await counted([])).toEqual(new Map());
        const [text, pdf] = [rows[0] as DocumentRow, rows[1] as DocumentRow];
        await apply(upsert({ ...text, type: 'pdf' }), removal(pdf));
        expect((await counted('all')).get('text')).toBeUndefined();
        expect((await counted('all')).get('pdf')).toBe(2);
      });
    });

    describe('languages', () => {
      const inLanguage = (language: string | null, text: string, changes: Partial<DocumentRow> = {}) => {
        const document = row(organization, { language, ...changes });
        return { document, change: upsert(document, { ...unitSet(text), language }) };
      };
      const languages = async (tags: DocumentQuery['scope']['tags']) =>
        (await reader.languages({ organization, tags })).map(({ language, documents }) => [language, documents]);
      const find = (question: string) => reader.search(searchFor(question, anyDocument(organization), { limit: 50 }));
      const found = async (question: string) => (await find(question)).map(({ unit }) => unit.text);

      it('with words of their own are counted within the scope, by the units, and after changes, moves and deletions', async () => {
        const german = ['a', 'b', 'c'].map((tag) => inLanguage('de', 'Wort', { tags: [tag, 'all'] }));
        const french = inLanguage('fr', 'mot', { tags: ['a'] });
        const others = ['en', null, 'zh', 'pl', 'xyz'].map((language) => inLanguage(language, 'x', { tags: ['a'] }));
        const elsewhere = row(newOrganization(), { language: 'it', tags: ['a'] });
        await apply(...[...german, french, ...others].map(({ change }) => change), upsert(elsewhere));
        expect(await languages('all')).toEqual([
          ['de', 3],
          ['fr', 1],
        ]);
        expect(await languages(['a'])).toEqual([
          ['de', 1],
          ['fr', 1],
        ]);
        expect(await languages(['b', 'all'])).toEqual([['de', 3]]);
        expect(await languages(['none'])).toEqual([]);
        expect(await languages([])).toEqual([]);

        const [first, second, third] = german.map(({ document }) => document) as [
          DocumentRow,
          DocumentRow,
          DocumentRow,
        ];
        const moved = upsert({ ...second, tags: ['a'], metadata: { k: 1 }, language: 'it', revision: 4 });
        await apply(removal(first), moved, upsert({ ...third, revision: 4 }, { ...unitSet('ord'), language: 'sv' }));
        expect(await languages(['a'])).toEqual([
          ['de', 1],
          ['fr', 1],
        ]);
        expect(await languages(['b'])).toEqual([]);
        expect(await languages(['c'])).toEqual([['sv', 1]]);
        const english = upsert({ ...third, revision: 5 }, { ...unitSet('word'), language: 'en' });
        await apply(english, removal(french.document));
        expect(await languages('all')).toEqual([['de', 1]]);
      });

      it('words are found by their stems, in each language of a scope', async () => {
        const texts = {
          de: 'Die Rechnungen liegen im Keller.',
          fr: 'Les chevaux mangeaient du foin.',
          ru: 'Мы говорили с кошками.',
          ar: 'قرأت الكتاب أمس',
          en: 'She painted the walls.',
        };
        const changes = Object.entries(texts).map(([language, text]) => inLanguage(language, text).change);
        await apply(...changes, ...['owl', 'crow', 'heron'].map((text) => inLanguage(null, text).change));
        const asked = { de: 'Rechnung', fr: 'un cheval', ru: 'кошка', ar: 'كتاب', en: 'painting a wall' };
        for (const [language, question] of Object.entries(asked)) {
          expect([language, await found(question)]).toEqual([language, [texts[language as keyof typeof texts]]]);
        }
      });

      it('a word counts once, however many stems it has', async () => {
        await apply(inLanguage('de', 'Die Rechnungen liegen bereit.').change, inLanguage('fr', 'un mot').change);
        const [hit] = await find('Rechnung');
        expect(hit?.evidence).toMatchObject({ share: 1, shareWide: 1 });
      });

      it('of units that were analysed as English before, words are found as they are written', async () => {
        const document = row(organization, { language: 'de' });
        const set = unitSet('Die Rechnungen liegen bereit.');
        await apply(upsert(document, set));
        expect(await found('Rechnungen')).toHaveLength(1);
        await apply(upsert({ ...document, revision: 4 }, { ...set, language: 'de' }));
        expect(await found('Rechnung')).toHaveLength(1);
      });
    });

    apartFromSearches('newest memories', () => {
      it('are those in scope, the last first, of documents that are processed again too', async () => {
        const at = (createdAt: number, changes: Partial<DocumentRow> = {}) =>
          row(organization, { createdAt, ...changes });
        const [old, young, changed, elsewhere, chunksOnly] = [
          at(MOMENT, { metadata: { k: 1 } }),
          at(MOMENT + 9, { tags: ['tag', 'more'] }),
          at(MOMENT + 10, { stage: 'embedding' }),
          at(MOMENT + 11, { tags: ['other'] }),
          at(MOMENT + 12),
        ];
        await apply(
          ...[upsert(old, unitSet('o0', 'o1')), upsert(young, unitSet('y0', 'y1')), upsert(changed, unitSet('c0'))],
          ...[
            upsert(elsewhere, unitSet('e')),
            upsert(chunksOnly, { units: units('chunk', ['chunk']), header: '', vectors: null }),
          ],
        );
        const texts = async (query: DocumentQuery, limit: number) =>
          (await reader.newestMemories(query, limit)).map(({ unit }) => unit.text);
        const scoped = anyDocument(organization, ['tag']);
        expect(await texts(scoped, 10)).toEqual(['c0', 'y1', 'y0', 'o1', 'o0']);
        expect(await texts(scoped, 3)).toEqual(['c0', 'y1', 'y0']);
        expect(await texts(scoped, 0)).toEqual([]);
        expect(await texts(anyDocument(organization), 1)).toEqual(['e']);
        const filter = parsed({ AND: [{ key: 'k', value: 1 }] });
        expect(await texts({ ...scoped, filter }, 10)).toEqual(['o1', 'o0']);
        expect((await reader.newestMemories(scoped, 1))[0]?.document).toEqual(changed);
      });
    });

    apartFromSearches('for the pipeline', () => {
      /** Every page of a list, of one organization. */
      const pages = async (
        page: (after: UnfinishedDocument | null) => Promise<readonly UnfinishedDocument[]>,
        of: OrganizationId,
      ) => {
        const found: UnfinishedDocument[] = [];
        for (let after: UnfinishedDocument | null = null; ; ) {
          const next: readonly UnfinishedDocument[] = await page(after);
          found.push(...next.filter((each) => each.organization === of));
          after = next.at(-1) ?? null;
          if (after === null) return found;
        }
      };

      it('lists what is neither done nor failed, oldest first', async () => {
        const rows = STAGES.flatMap((stage, i) => [
          row(organization, {
            stage,
            updatedAt: MOMENT - i,
            tags: [`first-${i}`, 'tag'],
            contentVersion: i,
            size: 512,
          }),
          row(organization, { stage, updatedAt: MOMENT - i }),
        ]);
        await apply(...rows.map((each) => upsert(each)));
        const expected = rows
          .filter(({ stage }) => stage !== 'done' && stage !== 'failed')
          .map(({ id, stage, contentVersion, tags, size = 0, updatedAt }) => ({
            ...{ organization, id, stage, contentVersion, size, updatedAt },
            ...{ tag: tags[0], tags },
          }))
          .sort((a, b) => a.updatedAt - b.updatedAt || (a.id < b.id ? -1 : 1));
        for (const limit of [1, 3, 1000]) {
          expect(await pages((after) => reader.unfinished({ after, limit }), organization)).toEqual(expected);
        }
      });

      it('counts what is neither done nor failed', async () => {
        const before = await reader.countUnfinished();
        const [waiting, ...others] = STAGES.map((stage) => row(organization, { stage }));
        await apply(...[waiting as DocumentRow, ...others].map((one) => upsert(one)));
        expect(await reader.countUnfinished()).toBe(before + 5);
        await apply(removal(waiting as DocumentRow));
        expect(await reader.countUnfinished()).toBe(before + 4);
      });

      it('lists what is done and has units without vectors of some spaces', async () => {
        const done = (space: string | null, updatedAt: number) =>
          row(organization, { vectorSpaces: space === null ? [] : [space], updatedAt });
        const [none, other, current] = [done(null, MOMENT + 2), done(OTHER_SPACE, MOMENT + 1), done(SPACE, MOMENT)];
        const waiting = row(organization, { stage: 'embedding' });
        await apply(
          ...[upsert(none, unitSet('a')), upsert(other, embedded(['b'], [1])), upsert(current, embedded(['c'], [1]))],
          ...[upsert(waiting, unitSet('d')), upsert(row(organization))],
        );
        const without = async (...spaces: string[]) =>
          (await pages((after) => reader.withoutVectors({ spaces, after, limit: 2 }), organization)).map(
            ({ id }) => id,
          );
        expect(await without(SPACE)).toEqual([other.id, none.id]);
        expect(await without(OTHER_SPACE)).toEqual([current.id, none.id]);
        expect(await without(SPACE, OTHER_SPACE)).toEqual([none.id]);
        expect(await without('third')).toEqual([current.id, other.id, none.id]);
      });

      it('lists and counts what is done without a summary, until its row says otherwise', async () => {
        const [first, second] = [
          row(organization, { updatedAt: MOMENT }),
          row(organization, { updatedAt: MOMENT + 1 }),
        ];
        const before = await reader.countWithoutSummary();
        await apply(upsert(second), upsert(first), upsert(row(organization, { isSummarized: true })));
        await apply(upsert(row(organization, { stage: 'indexing' })), upsert(row(organization, { stage: 'failed' })));
        const without = async () =>
          (await pages((after) => reader.withoutSummary({ after, limit: 1 }), organization)).map(({ id }) => id);
        expect(await without()).toEqual([first.id, second.id]);
        expect(await reader.countWithoutSummary()).toBe(before + 2);
        await apply(upsert({ ...first, isSummarized: true, revision: first.revision + 1 }));
        expect(await without()).toEqual([second.id]);
        await apply(removal(second));
        expect(await without()).toEqual([]);
        expect(await reader.countWithoutSummary()).toBe(before);
      });
    });
  });
}

const arbitraryFilter = arbitraryFilterInput.map(parsed);

function parsed(input: unknown): Filter {
  const result = parseFilter(input);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** As it comes from the log: without lists, though a text may spell one, and without -0, which JSON does not know. */
function flat(metadata: Readonly<Record<string, unknown>> | null): Metadata | null {
  if (metadata === null) return null;
  const entries = Object.entries(metadata).map(([key, value]) => {
    if (Array.isArray(value)) return [key, JSON.stringify(value)];
    return [key, value === 0 ? 0 : value];
  });
  return Object.fromEntries(entries) as Metadata;
}

function isWanted({ scope, filter, filepath }: DocumentQuery, document: DocumentRow): boolean {
  const path = document.filepath;
  return (
    document.organization === scope.organization &&
    (scope.tags === 'all' || document.tags.some((tag) => scope.tags.includes(tag))) &&
    (filter === null || matchesFilter(filter, document.metadata)) &&
    (filepath === null || (path !== null && (filepath.endsWith('/') ? path.startsWith(filepath) : path === filepath)))
  );
}

const isOneOf = (allowed: readonly string[] | null | undefined, value: string | null): boolean =>
  allowed == null || (value !== null && allowed.includes(value));

function plainList(rows: readonly DocumentRow[], query: DocumentListQuery): DocumentRow[] {
  const wanted = rows.filter(
    (each) =>
      isWanted(query, each) &&
      (query.stages === null || query.stages.includes(each.stage)) &&
      isOneOf(query.sources, each.source) &&
      isOneOf(query.types, each.type) &&
      isOneOf(query.customIds, each.customId) &&
      each.createdAt <= (query.createdUntil ?? Number.POSITIVE_INFINITY) &&
      each.updatedAt <= (query.updatedUntil ?? Number.POSITIVE_INFINITY) &&
      each.updatedAt > (query.updatedAfter ?? 0),
  );
  const sign = query.order === 'asc' ? 1 : -1;
  return wanted.sort((a, b) => sign * (a[query.sort] - b[query.sort] || (a.id < b.id ? -1 : 1)));
}

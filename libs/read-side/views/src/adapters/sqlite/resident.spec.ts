import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { DocumentRow } from '../../documents.ts';
import type { UnitSearchQuery } from '../../queries.ts';
import {
  anyDocument,
  direction,
  embedded,
  newOrganization,
  nextPosition,
  OTHER_SPACE,
  removal,
  row,
  SPACE,
  searchFor,
  unitSet,
  upsert,
} from '../../testing.ts';
import { SqliteViewsReader } from './reader.ts';
import { SqliteViewsWriter } from './writer.ts';

let folder: string;
let writer: SqliteViewsWriter;
const readers: SqliteViewsReader[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-views-'));
  writer = SqliteViewsWriter.open({ path: join(folder, 'views.db') });
});
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.close();
  await writer.close();
  await rm(folder, { recursive: true });
});

function read(cacheBytes: number): SqliteViewsReader {
  const reader = SqliteViewsReader.open({ path: join(folder, 'views.db'), cacheBytes });
  readers.push(reader);
  return reader;
}

const LARGE = 2 ** 26;

describe('resident entries', () => {
  const texts = fc.array(fc.constantFrom('a walrus', 'walrus walrus', 'a penguin', 'the walrus and the penguin', ''), {
    minLength: 1,
    maxLength: 3,
  });
  const place = { document: fc.nat({ max: 5 }), tags: fc.subarray(['a', 'b', 'c'], { minLength: 1 }) };
  const step = fc.oneof(
    fc.record({
      what: fc.constant('write' as const),
      ...place,
      texts,
      space: fc.constantFrom(null, SPACE, OTHER_SPACE),
    }),
    fc.record({ what: fc.constant('move' as const), ...place }),
    fc.record({ what: fc.constant('delete' as const), ...place }),
    fc.record({
      what: fc.constant('ask' as const),
      tags: fc.oneof(fc.constant('all' as const), fc.subarray(['a', 'b', 'c'])),
      kind: fc.constantFrom('chunk' as const, 'memory' as const),
      space: fc.constantFrom(null, SPACE, OTHER_SPACE),
      limit: fc.constantFrom(1, 3, 100),
    }),
  );

  it('are there before anybody asks, as far as there is room, those written last first', async () => {
    const organization = newOrganization();
    for (const tags of [['old'], ['new']]) {
      await writer.apply([upsert(row(organization, { tags }), unitSet('a walrus on the ice'))], nextPosition());
    }
    const large = read(LARGE);
    expect([...large.warm()]).toHaveLength(2);
    expect(large.stats.residentSegments).toBe(4);
    const small = read(large.stats.residentBytes * 0.9);
    for (const _ of small.warm());
    expect(small.stats.residentSegments).toBeGreaterThan(0);
    expect(small.stats.residentSegments).toBeLessThan(4);
    for (const reader of [large, small]) {
      const found = await reader.search(searchFor('walrus', anyDocument(organization)));
      expect(found).toHaveLength(2);
    }
  });

  it('answer as the tables do, whatever was written, moved and deleted since', async () => {
    const [none, small, large] = [read(0), read(4000), read(LARGE)];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const organization = newOrganization();
        const documents = new Map<number, DocumentRow>();
        for (const each of steps) {
          if (each.what === 'ask') {
            const vectors = each.space === null ? [] : [{ space: each.space, values: direction(2) }];
            const query: UnitSearchQuery = searchFor('walrus penguin', anyDocument(organization, each.tags), {
              ...{ kind: each.kind, limit: each.limit, vectors },
            });
            const expected = await none.search(query);
            expect(await large.search(query)).toEqual(expected);
            expect(await small.search(query)).toEqual(expected);
            continue;
          }
          const known = documents.get(each.document);
          if (each.what === 'delete') {
            if (known !== undefined) await writer.apply([removal(known)], nextPosition());
            documents.delete(each.document);
            continue;
          }
          if (each.what === 'move' && known === undefined) continue;
          const document: DocumentRow = {
            ...(known ?? row(organization, { id: `document-${each.document}` })),
            tags: each.tags,
            ...(each.what === 'write' ? { vectorSpaces: each.space === null ? [] : [each.space] } : {}),
          };
          documents.set(each.document, document);
          const set =
            each.what === 'move'
              ? undefined
              : each.space === null
                ? unitSet(...each.texts)
                : embedded(
                    each.texts,
                    each.texts.map((_, i) => i + each.document),
                  );
          await writer.apply([upsert(document, set)], nextPosition());
        }
      }),
      { numRuns: 60 },
    );
    expect(none.stats).toEqual({ residentBytes: 0, residentSegments: 0 });
    expect(small.stats.residentBytes).toBeLessThanOrEqual(4000);
    expect(large.stats.residentSegments).toBeGreaterThan(0);
  });

  it('catch up after more changes than are on record', async () => {
    const reader = read(LARGE);
    const organization = newOrganization();
    const rows = Array.from({ length: 100 }, () => row(organization, { tags: ['busy'] }));
    const quiet = row(organization, { tags: ['quiet'] });
    await writer.apply(
      [upsert(quiet, unitSet('walrus')), ...rows.map((each) => upsert(each, unitSet('walrus')))],
      nextPosition(),
    );
    const ask = async (question: string, tag: string) =>
      (await reader.search(searchFor(question, anyDocument(organization, [tag])))).length;
    expect([await ask('walrus', 'busy'), await ask('walrus', 'quiet')]).toEqual([100, 1]);
    const rewritten = rows.map((each) => upsert(each, { ...unitSet('penguin') }));
    for (let round = 0; round < 130; round++) await writer.apply(rewritten, nextPosition());
    expect([await ask('walrus', 'busy'), await ask('penguin', 'busy'), await ask('walrus', 'quiet')]).toEqual([
      0, 100, 1,
    ]);
  });

  it('stay within the budget, and let the oldest go', async () => {
    const organization = newOrganization();
    const words = 'one two three four five six seven eight nine ten';
    for (let tag = 0; tag < 40; tag++) {
      const rows = Array.from({ length: 20 }, () => row(organization, { tags: [`tag-${tag}`] }));
      await writer.apply(
        rows.map((each) => upsert(each, unitSet(words, words))),
        nextPosition(),
      );
    }
    const budget = 100_000;
    const reader = read(budget);
    for (const tag of [...Array(40).keys(), ...Array(40).keys()]) {
      expect(await reader.search(searchFor('seven', anyDocument(organization, [`tag-${tag}`])))).toHaveLength(40);
      expect(reader.stats.residentBytes).toBeLessThanOrEqual(budget);
    }
    expect(reader.stats.residentSegments).toBeGreaterThan(2);
    const before = reader.stats;
    expect(await reader.search(searchFor('seven', anyDocument(organization)))).toHaveLength(1000);
    expect(reader.stats).toEqual(before);
  });

  it('are packed when a good part of them is dead', async () => {
    const reader = read(LARGE);
    const organization = newOrganization();
    const rows = Array.from({ length: 50 }, () => row(organization));
    await writer.apply(
      rows.map((each) => upsert(each, unitSet('walrus'))),
      nextPosition(),
    );
    const ask = async () =>
      (await reader.search(searchFor('walrus', anyDocument(organization)))).map(({ document }) => document.id);
    expect((await ask()).sort()).toEqual(rows.map(({ id }) => id).sort());
    const size = reader.stats.residentBytes;
    for (const each of rows) {
      await writer.apply([upsert(each, unitSet('walrus'))], nextPosition());
      expect(await ask()).toHaveLength(50);
    }
    expect(reader.stats.residentBytes).toBeLessThan(2 * size);
    for (const each of rows.splice(0, 40)) {
      await writer.apply([removal(each)], nextPosition());
      await ask();
    }
    expect((await ask()).sort()).toEqual(rows.map(({ id }) => id).sort());
    expect(reader.stats.residentBytes).toBeLessThan(size);
  });
});

import fc from 'fast-check';
import { analyse } from '../analysis/analyse.ts';
import { encodeEntry } from '../entries/codec.ts';
import { quantize } from '../entries/quantize.ts';
import { countWords, indexUnit } from '../entries/unit.ts';
import { prepareQuery } from './query.ts';
import type { RankedUnit, RankOptions } from './rank.ts';
import { ENTRY_CANDIDATE, ENTRY_COUNTED, ENTRY_SKIPPED, Scanner } from './scanner.ts';

interface Unit {
  readonly text: string;
  readonly speaker?: string;
  readonly bare?: Float32Array;
  readonly wide?: Float32Array;
  readonly others?: readonly Float32Array[];
  readonly tokens?: number;
}

interface Document {
  readonly header: string;
  readonly units: readonly Unit[];
  readonly candidate: boolean;
}

const document = (units: readonly (string | Unit)[], { header = '', candidate = true } = {}): Document => ({
  header,
  units: units.map((unit) => (typeof unit === 'string' ? { text: unit } : unit)),
  candidate,
});

const encode = ({ header, units }: Document): Uint8Array =>
  encodeEntry({
    header: countWords(header),
    units: units.map(({ text, speaker, bare, wide, others, tokens }) =>
      indexUnit(text, speaker ?? null, {
        bare: bare ? quantize(bare) : null,
        wide: wide ? quantize(wide) : null,
        ...(others && { others: others.map(quantize) }),
        ...(tokens && { tokens }),
      }),
    ),
  });

const scanner = new Scanner();

function search(
  documents: readonly Document[],
  query: string,
  { vector = null, ...options }: Partial<RankOptions> & { vector?: Float32Array | null } = {},
): RankedUnit[] {
  scanner.begin(prepareQuery(query, vector));
  documents.forEach((one, slot) => {
    scanner.add(slot, encode(one), one.candidate);
  });
  return scanner.finish({ limit: 1000, ...options });
}

const unitIds = (ranked: readonly RankedUnit[]): string[] => ranked.map(({ slot, ordinal }) => `${slot}.${ordinal}`);

/** Returns a unit vector in the plane of the first two axes. */
function direction(degrees: number, dimensions = 32): Float32Array {
  const vector = new Float32Array(dimensions);
  vector[0] = Math.cos((degrees * Math.PI) / 180);
  vector[1] = Math.sin((degrees * Math.PI) / 180);
  return vector;
}

const WORDS = ['dog', 'cat', 'bird', 'tree', 'stone', 'river', 'cloud', 'lamp', 'the'];
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join(' '));
const arbitraryDocument: fc.Arbitrary<Document> = fc.record({
  header: fc.array(fc.constantFrom(...WORDS), { maxLength: 2 }).map((words) => words.join(' ')),
  units: fc.array(fc.record({ text }), { maxLength: 5 }),
  candidate: fc.boolean(),
});
const corpus = fc.array(arbitraryDocument, { maxLength: 8 });
const query = fc.array(fc.constantFrom(...WORDS.slice(0, -1)), { minLength: 1, maxLength: 5 }).map((w) => w.join(' '));

/** Reference BM25 over lists of terms. */
function bm25(query: string, texts: readonly (readonly string[])[]): number[] {
  const average = texts.reduce((sum, terms) => sum + terms.length, 0) / texts.length;
  return texts.map((terms) =>
    analyse(query).reduce((score, term) => {
      const frequency = texts.filter((other) => other.includes(term)).length;
      const idf = Math.log(1 + (texts.length - frequency + 0.5) / (frequency + 0.5));
      const count = terms.filter((other) => other === term).length;
      if (count === 0) return score;
      return score + (idf * count) / (count + 0.9 * (1 - 0.4 + (0.4 * terms.length) / average));
    }, 0),
  );
}

describe('BM25', () => {
  test('of bare units, wide units and documents equals the reference over everything added', () => {
    fc.assert(
      fc.property(corpus, query, (documents, asked) => {
        const units = documents.flatMap(({ header, units, candidate }, slot) => {
          const terms = units.map((unit) => analyse(unit.text));
          return terms.map((bare, i) => ({
            unitId: `${slot}.${i}`,
            slot,
            candidate,
            bare,
            wide: [...analyse(header), ...(terms[i - 1] ?? []), ...bare, ...(terms[i + 1] ?? [])],
          }));
        });
        const wide = bm25(
          asked,
          units.map((unit) => unit.wide),
        );
        const bare = bm25(
          asked,
          units.map((unit) => unit.bare),
        );
        const whole = bm25(
          asked,
          documents.map(({ header, units }) =>
            [header, ...units.map((unit) => unit.text)].flatMap((text) => analyse(text)),
          ),
        );
        const ranked = new Map(search(documents, asked).map((unit) => [`${unit.slot}.${unit.ordinal}`, unit.evidence]));
        units.forEach(({ unitId, slot, candidate }, i) => {
          const evidence = ranked.get(unitId);
          expect(evidence !== undefined).toBe(candidate && (wide[i] as number) > 0);
          if (evidence === undefined) return;
          expect(Math.abs(evidence.bm25Wide - (wide[i] as number))).toBeLessThan(1e-5);
          expect(Math.abs(evidence.bm25Bare - (bare[i] as number))).toBeLessThan(1e-5);
          expect(Math.abs(evidence.bm25Document - (whole[slot] as number))).toBeLessThan(1e-5);
        });
      }),
      { numRuns: 300 },
    );
  });

  test('statistics do not depend on which entries are candidates', () => {
    const evidenceByUnit = (ranked: readonly RankedUnit[]) =>
      new Map(ranked.map(({ slot, ordinal, evidence }) => [`${slot}.${ordinal}`, evidence]));
    fc.assert(
      fc.property(corpus, query, (documents, asked) => {
        const all = evidenceByUnit(
          search(
            documents.map((one) => ({ ...one, candidate: true })),
            asked,
          ),
        );
        for (const [unitId, evidence] of evidenceByUnit(search(documents, asked))) {
          expect(evidence).toEqual(all.get(unitId));
        }
      }),
    );
  });
});

describe('add and addMany', () => {
  const concatenated = (documents: readonly Document[]) =>
    Uint8Array.from(documents.flatMap((one) => [...encode(one)]));
  const states = [ENTRY_SKIPPED, ENTRY_COUNTED, ENTRY_CANDIDATE];

  test('addMany gives the result of single adds without the skipped entries', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(arbitraryDocument, fc.constantFrom(...states)), { maxLength: 8 }),
        query,
        (pairs, asked) => {
          scanner.begin(prepareQuery(asked, null));
          pairs.forEach(([one, state], slot) => {
            if (state !== ENTRY_SKIPPED) scanner.add(slot, encode(one), state === ENTRY_CANDIDATE);
          });
          const expected = scanner.finish({ limit: 1000 });

          scanner.begin(prepareQuery(asked, null));
          scanner.addMany(
            concatenated(pairs.map(([one]) => one)),
            pairs.map((_, slot) => slot),
            pairs.map(([, state]) => state),
          );
          expect(scanner.finish({ limit: 1000 })).toEqual(expected);
        },
      ),
    );
  });

  test('the order of adds does not change the result', () => {
    fc.assert(
      fc.property(corpus, query, (documents, asked) => {
        scanner.begin(prepareQuery(asked, null));
        for (let slot = documents.length - 1; slot >= 0; slot--) {
          scanner.add(slot, encode(documents[slot] as Document), (documents[slot] as Document).candidate);
        }
        expect(unitIds(scanner.finish({ limit: 1000 }))).toEqual(unitIds(search(documents, asked)));
      }),
    );
  });

  test('several batches and an entry larger than a batch are scanned completely', () => {
    const small = Array.from({ length: 3000 }, (_, i) => document([`dog number${i}`]));
    const large = document(Array.from({ length: 12_000 }, (_, i) => (i === 11_999 ? 'a zebra' : `cat number${i}`)));
    const ranked = search([...small, large, document(['a zebra too'])], 'zebra number2999', { limit: 10 });
    expect(new Set(unitIds(ranked))).toEqual(
      new Set(['2999.0', '3000.2998', '3000.2999', '3000.3000', '3000.11998', '3000.11999', '3001.0']),
    );
    expect(search([document(['a dog'])], 'dog')).toHaveLength(1);
  });

  test('empty scopes, empty queries and limit 0 give no results', () => {
    expect(search([], 'dog')).toEqual([]);
    expect(search([document([])], 'dog')).toEqual([]);
    expect(search([document(['dog'])], '')).toEqual([]);
    expect(search([document(['dog'])], '* " \ud800')).toEqual([]);
    expect(search([document(['dog'])], 'dog', { limit: 0 })).toEqual([]);
    expect(() => new Scanner().finish({ limit: 1 })).toThrow('called before begin');
  });
});

describe('the result list', () => {
  test('with a lower limit is a prefix of the longer one', () => {
    fc.assert(
      fc.property(corpus, query, fc.integer({ min: 1, max: 6 }), (documents, asked, limit) => {
        expect(search(documents, asked, { limit })).toEqual(search(documents, asked).slice(0, limit));
      }),
    );
  });

  test('orders equal scores by slot and ordinal', () => {
    const twins = Array.from({ length: 9 }, () => document(['a dog', '', '', 'a dog']));
    expect(unitIds(search(twins, 'dog', { limit: 4 }))).toEqual(['0.0', '0.3', '1.0', '1.3']);
  });
});

describe('vectors', () => {
  test('cosines equal those of the floats within the precision of int8', () => {
    const angle = fc.integer({ min: 0, max: 359 });
    fc.assert(
      fc.property(angle, angle, angle, (asked, bare, wide) => {
        const documents = [document([{ text: '', bare: direction(bare), wide: direction(wide) }])];
        const evidence = search(documents, 'x', { vector: direction(asked) })[0]?.evidence;
        expect(evidence?.cosineBare).toBeCloseTo(Math.cos(((asked - bare) * Math.PI) / 180), 1.9);
        expect(evidence?.cosineWide).toBeCloseTo(Math.cos(((asked - wide) * Math.PI) / 180), 1.9);
      }),
    );
  });

  test('the context of a unit is the mean of its neighbours by their weights', () => {
    const units = [
      { text: '', bare: direction(0), tokens: 10 },
      { text: '', bare: direction(90), tokens: 30 },
      { text: '', bare: direction(0), tokens: 10 },
      { text: '', bare: direction(180), tokens: 20 },
      { text: '', bare: direction(0), wide: direction(0) },
    ];
    const ranked = search([document(units)], 'x', { vector: direction(0) });
    const wide = ranked.toSorted((a, b) => a.ordinal - b.ordinal).map(({ evidence }) => evidence.cosineWide);
    for (const [i, [x, y]] of [
      [20, 30],
      [0, 30],
      [0, 30],
      [-10, 30],
    ].entries()) {
      expect(wide[i]).toBeCloseTo((x as number) / Math.hypot(x as number, y as number), 1.9);
    }
    // Its context has a vector of its own, and it has no part in that of its neighbour.
    expect(wide[4]).toBeCloseTo(1, 1.9);
  });

  test('of several vectors of a unit the nearest counts, and stands for its context', () => {
    const near = { text: '', bare: direction(90), others: [direction(5), direction(170)] };
    const documents = [
      document([near, { text: '', bare: direction(40) }]),
      document([{ text: '', bare: direction(60) }]),
    ];
    const ranked = search(documents, 'x', { vector: direction(0) });
    expect(unitIds(ranked)).toEqual(['0.0', '0.1', '1.0']);
    expect(ranked[0]?.evidence.cosineBare).toBeCloseTo(Math.cos((5 * Math.PI) / 180), 1.9);
    expect(ranked[0]?.evidence.cosineWide).toBeNull();
  });

  test('hits by vector only and by words only are both returned', () => {
    const far = { bare: direction(90), wide: direction(90) };
    const documents = [
      document([{ text: 'puppy', bare: direction(5), wide: direction(5) }]),
      document([{ text: 'ERR_4711', ...far }]),
      document([{ text: 'lamp', ...far }]),
    ];
    expect(unitIds(search(documents, 'dog ERR_4711', { vector: direction(0) })).toSorted()).toEqual([
      '0.0',
      '1.0',
      '2.0',
    ]);
    expect(unitIds(search(documents, 'dog ERR_4711', { vector: direction(0), limit: 2 }))).toEqual(['0.0', '1.0']);
  });

  test('a unit without vectors ranks by its words and is absent without a matching word', () => {
    const embedded = (degrees: number, text: string) =>
      document([{ text, bare: direction(degrees), wide: direction(degrees) }]);
    const documents = [embedded(30, 'puppy'), embedded(80, 'stone'), document(['the dog bird']), document(['river'])];
    const ranked = search(documents, 'dog bird', { vector: direction(0) });
    expect(unitIds(ranked)).toEqual(['2.0', '0.0', '1.0']);
    expect(ranked[0]?.evidence).toMatchObject({ cosineBare: null, cosineWide: null, share: 1, density: 1 });
  });

  test('vectors of other dimensions are not compared', () => {
    const documents = [document([{ text: 'dog', bare: direction(0, 64), wide: direction(0, 64) }]), document(['cat'])];
    const ranked = search(documents, 'dog', { vector: direction(0) });
    expect(unitIds(ranked)).toEqual(['0.0']);
    expect(ranked[0]?.evidence.cosineBare).toBeNull();
  });
});

describe('priors', () => {
  const first = (texts: readonly Unit[], asked: string) =>
    unitIds(
      search(
        texts.map((unit) => document([unit])),
        asked,
        { limit: 1 },
      ),
    )[0];

  test('a unit of the only speaker named in the query ranks higher', () => {
    const said = [
      { text: 'the dog', speaker: 'Ann Lee' },
      { text: 'the dog', speaker: 'Tom' },
    ];
    expect(first(said, 'dog')).toBe('0.0');
    expect(first(said, "What is Tom's dog?")).toBe('1.0');
    expect(first(said, 'Do Ann and Tom have a dog?')).toBe('0.0');
  });

  test('a statement ranks above a question', () => {
    expect(first([{ text: 'a dog?' }, { text: 'a dog' }], 'dog')).toBe('1.0');
  });

  test('a unit with a time word ranks higher for a query with "when"', () => {
    const units = [{ text: 'walked the dog home' }, { text: 'walked the dog yesterday' }];
    expect(first(units, 'where did the dog walk')).toBe('0.0');
    expect(first(units, 'when did the dog walk')).toBe('1.0');
  });

  test('a unit of a better matching document ranks higher', () => {
    const filler = ['stone', 'river', 'lamp'];
    const documents = [document(['dog', ...filler]), document(['dog', ...filler, 'dog'])];
    expect(unitIds(search(documents, 'dog'))[0]).toMatch(/^1/);
  });

  test('a document with one of many query words does not outrank a close vector', () => {
    const at = (text: string, degrees: number) =>
      document([{ text, bare: direction(degrees), wide: direction(degrees) }]);
    const documents = [at('puppy', 10), at('the dog', 50), at('lamp', 80)];
    const ranked = search(documents, 'dog zebra ostrich heron', { vector: direction(0) });
    expect(unitIds(ranked)[0]).toBe('0.0');
  });
});

describe('evidence', () => {
  test('share counts terms equally, coverage weighs rare terms more', () => {
    const documents = [document(['dog dog lamp', 'stone']), document(['dog']), document(['cat'])];
    const ranked = search(documents, 'dog stone zebra');
    const evidence = ranked.find(({ slot, ordinal }) => slot === 0 && ordinal === 0)?.evidence;
    expect(evidence).toMatchObject({ share: 1 / 3, shareWide: 2 / 3 });
    expect(evidence?.density).toBeCloseTo(2 / 3);
    expect(evidence?.coverage).toBeLessThan(1 / 3);
  });
});

test('a query of more than 32 terms keeps the longest words', () => {
  const long = Array.from({ length: 40 }, (_, i) => `a${i}`).join(' ');
  const { terms } = prepareQuery(`${long} zebra`, null);
  expect(terms).toHaveLength(32);
  expect(terms.map(({ term }) => term)).toContain('zebra');
});

test('prepareQuery rejects a vector whose dimensions are not a multiple of 32', () => {
  expect(() => prepareQuery('dog', new Float32Array(33))).toThrow('multiple of 32');
});

test('units that are left out are no results, and their neighbours do not match by them', () => {
  const near = direction(10);
  const one = document([{ text: 'alpha', bare: near }, { text: 'beta gamma', bare: near }, 'delta']);
  const leftOut = (slot: number) => (slot === 0 ? [1, 7] : undefined);
  expect(unitIds(search([one], 'gamma')).sort()).toEqual(['0.0', '0.1', '0.2']);
  expect(unitIds(search([one], 'gamma', { leftOut }))).toEqual([]);
  expect(unitIds(search([one, one], 'gamma', { leftOut })).sort()).toEqual(['1.0', '1.1', '1.2']);
  expect(unitIds(search([one], 'gamma', { leftOut, vector: direction(0) }))).toEqual(['0.0']);
});

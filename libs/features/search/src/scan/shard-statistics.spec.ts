import fc from 'fast-check';
import { arbitraryEntry, arbitraryVector, SOME_HASHES } from '../entries/arbitrary.ts';
import { encodeEntry } from '../entries/codec.ts';
import { HAS_BARE, HAS_NEAR, HAS_OTHERS, HAS_WIDE } from '../entries/layout.ts';
import { inverseLengthAt } from '../entries/near.ts';
import { scaleOf, valuesOf } from '../entries/quantize.ts';
import type { IndexEntry, WordCounts } from '../entries/unit.ts';
import { type PreparedQuery, prepareQuery } from './query.ts';
import { Scanner } from './scanner.ts';
import { rankShards } from './shard-statistics.ts';

const DIMENSIONS = 32;
const float32 = new Float32Array(1);
const bits = new Int32Array(float32.buffer);

function bitsOf(value: number): number {
  float32[0] = value;
  return bits[0] as number;
}

/** Builds the records as `ShardStatistics` describes them. */
function recordsOf(query: PreparedQuery, { header, units }: IndexEntry): number[] {
  const countsOf = ({ terms, counts }: WordCounts) => query.hashes.map((hash) => counts[terms.indexOf(hash)] ?? 0);
  const record = (words: WordCounts, speakerOrUnits: number, flags: number, cosines: readonly number[]) => {
    const counts = countsOf(words);
    const mask = counts.reduce((sum, count, term) => (count > 0 ? sum | (1 << term) : sum), 0);
    return [mask, words.length, speakerOrUnits, flags, ...cosines, ...counts.filter((count) => count > 0)];
  };
  return [
    ...record(header, units.length, 0, []),
    ...units.flatMap((unit, place) => {
      const { bare, wide, others = [], tokens = 0 } = unit;
      if (query.vector === null) return record(unit, unit.speaker, unit.flags, []);
      const present =
        (bare ? HAS_BARE : 0) | (wide ? HAS_WIDE : 0) | (tokens ? HAS_NEAR : 0) | (others.length > 0 ? HAS_OTHERS : 0);
      const cosine = (vector: Uint8Array, asked: { vector: Int16Array | null; scale: number } = query) => {
        const product = valuesOf(vector).reduce((sum, value, i) => sum + value * (asked.vector?.[i] as number), 0);
        const scale = Math.fround(scaleOf(vector) * Math.fround(asked.scale));
        return Math.fround(Math.fround(product) * scale);
      };
      const values = [
        ...(bare ? [Math.max(...[bare, ...others].map((one) => cosine(one)))] : []),
        ...(bare && query.core ? [cosine(bare, query.core)] : []),
        ...(wide ? [cosine(wide)] : tokens ? [inverseLengthAt(units, place)] : []),
      ];
      return record(unit, unit.speaker, unit.flags | (present << 8) | (tokens << 16), values.map(bitsOf));
    }),
  ];
}

describe('rankShards', () => {
  test('gives the result of Scanner over the same entries', () => {
    const entries = fc.array(fc.tuple(arbitraryEntry(DIMENSIONS), fc.boolean()), { maxLength: 6 });
    const hashes = fc.uniqueArray(fc.constantFrom(...SOME_HASHES), { minLength: 1, maxLength: 8 });
    const vector = fc.option(arbitraryVector(DIMENSIONS));
    const perTerm = fc.integer({ min: 1, max: 3 });
    const scanner = new Scanner();
    fc.assert(
      fc.property(entries, hashes, perTerm, vector, vector, (documents, asked, size, ofQuestion, ofCore) => {
        const terms = Array.from({ length: Math.ceil(asked.length / size) }, (_, i) => ({
          ...{ term: String(i), weight: 1 },
          hashes: asked.slice(i * size, (i + 1) * size),
        }));
        const query = { ...prepareQuery('', ofQuestion, { core: ofCore }), terms, hashes: asked };
        scanner.begin(query);
        documents.forEach(([entry, candidate], slot) => {
          scanner.add(slot, encodeEntry(entry), candidate);
        });
        const scans = documents.map(([entry, candidates]) => ({
          ...{ documents: 1, candidates },
          numbers: recordsOf(query, entry),
        }));
        expect(rankShards(query, scans, { limit: 100 })).toEqual(scanner.finish({ limit: 100 }));
      }),
    );
  });

  test('rejects numbers that end inside a record', () => {
    const query = prepareQuery('walrus', null);
    const scan = { documents: 1, candidates: true, numbers: [0, 3, 2, 0, 0, 3, 0, 0, 0, 3] };
    expect(() => rankShards(query, [scan], { limit: 1 })).toThrow(RangeError);
  });
});

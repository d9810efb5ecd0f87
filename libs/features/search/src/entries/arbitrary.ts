import fc from 'fast-check';
import { quantize } from './quantize.ts';
import type { IndexEntry, IndexedUnit, WordCounts } from './unit.ts';

/** Random entries, for specs only. Term hashes come from a small pool, so that queries match them. */
export const SOME_HASHES = [
  1,
  2,
  3,
  0x7fffffff,
  0x80000000,
  0xffffffff,
  ...Array.from({ length: 14 }, (_, i) => i * 7919 + 11),
];

export const arbitraryVector = (dimensions: number): fc.Arbitrary<Float32Array> =>
  fc
    .array(fc.integer({ min: -1000, max: 1000 }), { minLength: dimensions, maxLength: dimensions })
    .filter((components) => components.some((component) => component !== 0))
    .map((components) => {
      const norm = Math.hypot(...components);
      return Float32Array.from(components, (component) => component / norm);
    });

const arbitraryWords: fc.Arbitrary<WordCounts> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...SOME_HASHES), fc.integer({ min: 1, max: 255 })), {
    selector: ([hash]) => hash,
    maxLength: 13,
  })
  .map((pairs) => {
    const sorted = pairs.toSorted(([a], [b]) => a - b);
    return {
      terms: Uint32Array.from(sorted, ([hash]) => hash),
      counts: Uint8Array.from(sorted, ([, count]) => count),
      length: sorted.reduce((sum, [, count]) => sum + count, 0),
    };
  });

export const arbitraryEntry = (dimensions: number): fc.Arbitrary<IndexEntry> => {
  const vector = fc.option(arbitraryVector(dimensions).map(quantize));
  const others = fc.array(arbitraryVector(dimensions).map(quantize), { maxLength: 3 });
  const tokens = fc.constantFrom(0, 1, 30, 0xffff);
  const unit: fc.Arbitrary<IndexedUnit> = fc
    .record({
      words: arbitraryWords,
      speaker: fc.constantFrom(0, 5, 0xfffffffe),
      flags: fc.integer({ min: 0, max: 127 }),
      ...{ bare: vector, wide: vector, others, tokens },
    })
    .map(({ words, speaker, flags, bare, wide, others, tokens }) => ({
      ...{ ...words, speaker, flags, bare, wide },
      ...(bare !== null && others.length > 0 && { others }),
      ...(bare !== null && wide === null && tokens > 0 && { tokens }),
    }));
  return fc.record({ header: arbitraryWords, units: fc.array(unit, { maxLength: 4 }) });
};

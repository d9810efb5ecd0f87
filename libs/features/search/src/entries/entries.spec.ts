import fc from 'fast-check';
import { termHash } from '../analysis/hash.ts';
import { arbitraryEntry, arbitraryVector } from './arbitrary.ts';
import { DamagedEntryError, decodeEntry, encodeEntry, entryBytes, unitsOf, withVectors } from './codec.ts';
import { dequantize, quantize } from './quantize.ts';
import { countWords, indexUnit, speakerHash } from './unit.ts';

const VECTOR = quantize(Float32Array.from({ length: 32 }, (_, i) => i / 100));

describe('indexUnit', () => {
  test('counts terms by hash, in ascending order', () => {
    const unit = indexUnit('Tom: the dog met a dog yesterday?', 'Tom Sawyer', null);
    const counts = new Map(Array.from(unit.terms, (hash, i) => [hash, unit.counts[i]]));
    expect(counts).toEqual(
      new Map([
        [termHash('tom'), 1],
        [termHash('dog'), 2],
        [termHash('met'), 1],
        [termHash('yesterdai'), 1],
      ]),
    );
    expect(unit.length).toBe(5);
    expect([...unit.terms]).toEqual([...unit.terms].sort((a, b) => a - b));
    expect(unit).toMatchObject({ flags: 3, speaker: termHash('tom'), bare: null, wide: null });
  });

  test('caps counts at 255, but not the length', () => {
    expect(countWords('dog '.repeat(300))).toEqual({
      terms: Uint32Array.of(termHash('dog')),
      counts: Uint8Array.of(255),
      length: 300,
    });
  });

  test('hashes the first name of a speaker', () => {
    expect(speakerHash('CAROLINE Smith')).toBe(speakerHash('caroline'));
    expect([speakerHash(null), speakerHash(''), speakerHash('—')]).toEqual([0, 0, 0]);
  });
});

describe('encodeEntry', () => {
  test('is inverted by decodeEntry at any alignment', () => {
    fc.assert(
      fc.property(arbitraryEntry(32), fc.integer({ min: 0, max: 7 }), (entry, offset) => {
        const bytes = encodeEntry(entry);
        const moved = new Uint8Array(bytes.length + offset);
        moved.set(bytes, offset);
        expect(decodeEntry(moved.subarray(offset))).toEqual(entry);
        expect(unitsOf(moved, offset)).toBe(entry.units.length);
      }),
    );
  });

  test('writes self-delimiting entries that can be concatenated', () => {
    fc.assert(
      fc.property(fc.array(arbitraryEntry(32), { maxLength: 5 }), (entries) => {
        const bytes = Uint8Array.from(entries.flatMap((entry) => [...encodeEntry(entry)]));
        let at = 0;
        for (const entry of entries) {
          expect(at % 4).toBe(0);
          expect(decodeEntry(bytes.subarray(at))).toEqual(entry);
          at += entryBytes(bytes, at);
        }
        expect(at).toBe(bytes.length);
      }),
    );
  });

  test('rejects vectors of different or unsupported dimensions', () => {
    const words = countWords('dog');
    const unit = (bare: Uint8Array) => indexUnit('dog', null, { bare, wide: VECTOR });
    expect(() => encodeEntry({ header: words, units: [unit(quantize(new Float32Array(64)))] })).toThrow('dimensions');
    expect(() =>
      encodeEntry({ header: words, units: [{ ...unit(VECTOR), bare: null, wide: quantize(new Float32Array(33)) }] }),
    ).toThrow('multiple of 32');
  });

  test('withVectors changes only the vectors', () => {
    const units = ['one dog', 'two cats'].map((text) => indexUnit(text, null, null));
    const header = countWords('8 May 2023');
    const changed = withVectors(encodeEntry({ header, units }), [{ bare: VECTOR, wide: null }, null]);
    expect(decodeEntry(changed)).toEqual({ header, units: [{ ...units[0], bare: VECTOR }, units[1]] });
    expect(() => withVectors(changed, [null])).toThrow('1 vectors for 2 units');
  });

  test('readers reject bytes that are not an entry', () => {
    const bytes = encodeEntry({ header: countWords('a dog'), units: [] });
    expect(() => entryBytes(bytes.subarray(0, bytes.length - 4), 0)).toThrow('cut off');
    expect(() => entryBytes(new Uint8Array(8), 0)).toThrow('version');
    expect(() => entryBytes(new Uint8Array(64).fill(9), 0)).toThrow('version');
    const tooManyUnits = bytes.slice();
    new DataView(tooManyUnits.buffer).setUint32(8, 1_000_000, true);
    expect(() => unitsOf(tooManyUnits, 0)).toThrow('too short');
    expect(() => decodeEntry(tooManyUnits)).toThrow(DamagedEntryError);
  });
});

describe('quantize', () => {
  test('has an error of at most half a step', () => {
    fc.assert(
      fc.property(arbitraryVector(64), (vector) => {
        const step = Math.max(...vector.map(Math.abs)) / 127;
        dequantize(quantize(vector)).forEach((component, i) => {
          expect(Math.abs(component - (vector[i] as number))).toBeLessThanOrEqual(step * 0.5001);
        });
      }),
    );
  });

  test('keeps a zero vector', () => {
    expect(dequantize(quantize(new Float32Array(32)))).toEqual(new Float32Array(32));
  });
});

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import initWabt from 'wabt';
import { arbitraryEntry, arbitraryVector, SOME_HASHES } from '../entries/arbitrary.ts';
import { encodeEntry } from '../entries/codec.ts';
import { dequantize } from '../entries/quantize.ts';
import type { IndexEntry, WordCounts } from '../entries/unit.ts';
import { prepareQuery } from '../scan/query.ts';
import { RECORD, recordBytes } from '../scan/records.ts';
import { ScanKernel } from './scan-kernel.ts';

test('the committed module equals the compiled source', async () => {
  const wabt = await initWabt();
  const source = readFileSync(new URL('./scan.wat', import.meta.url), 'utf8');
  const compiled = wabt.parseWat('scan.wat', source, { simd: true }).toBinary({}).buffer;
  expect(Buffer.from(compiled).equals(readFileSync(new URL('./scan.wasm', import.meta.url)))).toBe(true);
});

interface ScanRecord {
  readonly counts: readonly number[];
  readonly length: number;
  /** Number of units in the record of a header. */
  readonly speaker: number;
  readonly flags: number | null;
  readonly cosineBare: number | null;
  readonly cosineWide: number | null;
  readonly cosineCore: number | null;
}

/** Reference implementation of the kernel. */
function scanPlainly(
  entry: IndexEntry,
  hashes: readonly number[],
  queryVector: Float32Array | null,
  coreVector: Float32Array | null = null,
): ScanRecord[] {
  const counts = (words: WordCounts) => hashes.map((hash) => words.counts[words.terms.indexOf(hash)] ?? 0);
  const cosine = (vector: Uint8Array | null, asked = queryVector) => {
    if (vector === null || asked === null || vector.length !== 4 + asked.length) return null;
    return dequantize(vector).reduce((sum, component, i) => sum + component * (asked[i] as number), 0);
  };
  const nearest = (cosines: readonly (number | null)[]) => {
    const present = cosines.filter((one) => one !== null);
    return present.length === 0 ? null : Math.max(...present);
  };
  const none = { flags: null, cosineBare: null, cosineWide: null, cosineCore: null };
  return [
    { counts: counts(entry.header), length: entry.header.length, speaker: entry.units.length, ...none },
    ...entry.units.map((unit) => ({
      counts: counts(unit),
      length: unit.length,
      speaker: unit.speaker,
      flags: unit.flags,
      cosineBare: nearest([unit.bare, ...(unit.others ?? [])].map((one) => cosine(one))),
      cosineWide: cosine(unit.wide),
      cosineCore: cosine(unit.bare, coreVector),
    })),
  ];
}

const kernel = new ScanKernel();

/** Runs the kernel over batches of entries. Flags of headers become null, as in the reference implementation. */
function scan(
  batches: readonly (readonly IndexEntry[])[],
  hashes: readonly number[],
  queryVector: Float32Array | null,
  coreVector: Float32Array | null = null,
) {
  const bytes = recordBytes(hashes.length);
  kernel.begin(hashes, prepareQuery('', queryVector, { core: coreVector }), bytes);
  for (const batch of batches) {
    let at = 0;
    for (const entry of batch) {
      const encoded = encodeEntry(entry);
      kernel.load(encoded, at);
      at += encoded.length;
    }
    kernel.scan(
      at,
      batch.reduce((sum, entry) => sum + 1 + entry.units.length, 0),
    );
  }
  const headers = new Set<number>();
  let next = 0;
  for (const entry of batches.flat()) {
    headers.add(next);
    next += 1 + entry.units.length;
  }
  expect(kernel.records).toBe(next);
  return Array.from({ length: next }, (_, i): ScanRecord => {
    const view = new DataView(kernel.memory, kernel.recordsAt + i * bytes, bytes);
    const mask = view.getUint32(RECORD.mask, true);
    const flags = headers.has(i) ? null : view.getUint32(RECORD.flags, true);
    const cosine = (bit: number, at: number) => ((flags ?? 0) & bit ? view.getFloat32(at, true) : null);
    return {
      counts: hashes.map((_, q) => ((mask >>> q) & 1 ? view.getUint8(RECORD.counts + q) : 0)),
      length: view.getUint32(RECORD.length, true),
      speaker: view.getUint32(RECORD.speaker, true),
      flags: flags === null ? null : flags & 0xff,
      cosineBare: cosine(1 << 8, RECORD.cosineBare),
      cosineWide: cosine(2 << 8, RECORD.cosineWide),
      cosineCore: coreVector === null ? null : cosine(1 << 8, RECORD.cosineCore),
    };
  });
}

const withoutCosines = (records: readonly ScanRecord[]) =>
  records.map(({ cosineBare, cosineWide, cosineCore, ...rest }) => [
    rest,
    [cosineBare, cosineWide, cosineCore].map((cosine) => cosine === null),
  ]);

function expectSame(actual: readonly ScanRecord[], expected: readonly ScanRecord[]): void {
  expect(withoutCosines(actual)).toEqual(withoutCosines(expected));
  actual.forEach(({ cosineBare, cosineWide, cosineCore }, i) => {
    expect(Math.abs((cosineBare ?? 0) - (expected[i]?.cosineBare ?? 0))).toBeLessThan(2e-4);
    expect(Math.abs((cosineWide ?? 0) - (expected[i]?.cosineWide ?? 0))).toBeLessThan(2e-4);
    expect(Math.abs((cosineCore ?? 0) - (expected[i]?.cosineCore ?? 0))).toBeLessThan(2e-4);
  });
}

const hashes = fc.subarray([...SOME_HASHES, ...Array.from({ length: 12 }, (_, i) => 1_000_000 + i)], {
  minLength: 0,
  maxLength: 32,
});

describe('kernel and reference implementation agree', () => {
  test.each([32, 384, 1024])('on entries with %d dimensions', (dimensions) => {
    const batches = fc.array(fc.array(arbitraryEntry(dimensions), { maxLength: 3 }), { maxLength: 3 });
    fc.assert(
      fc.property(batches, hashes, fc.option(arbitraryVector(dimensions)), (entries, query, queryVector) => {
        expectSame(
          scan(entries, query, queryVector),
          entries.flat().flatMap((entry) => scanPlainly(entry, query, queryVector)),
        );
      }),
      { numRuns: dimensions === 32 ? 300 : 20 },
    );
  });

  test('on the vector of the core of a question', () => {
    const vectors = fc.tuple(arbitraryVector(64), arbitraryVector(64));
    fc.assert(
      fc.property(fc.array(arbitraryEntry(64), { maxLength: 3 }), vectors, (entries, [queryVector, core]) => {
        expectSame(
          scan([entries], [1, 2], queryVector, core),
          entries.flatMap((entry) => scanPlainly(entry, [1, 2], queryVector, core)),
        );
      }),
    );
  });

  test('on all 32 terms at once', () => {
    fc.assert(
      fc.property(arbitraryEntry(32), (entry) => {
        const query = [...SOME_HASHES, ...Array.from({ length: 32 - SOME_HASHES.length }, (_, i) => 5000 + i)];
        expectSame(scan([[entry]], query, null), scanPlainly(entry, query, null));
      }),
    );
  });

  test('a query vector of other dimensions is compared with no vector', () => {
    fc.assert(
      fc.property(arbitraryEntry(64), arbitraryVector(32), (entry, queryVector) => {
        expectSame(scan([[entry]], [1, 2], queryVector), scanPlainly(entry, [1, 2], queryVector));
      }),
    );
  });

  test('the largest dot product fits into 32 bits', () => {
    const extreme = new Float32Array(1024).fill(1 / 32);
    const { vector, scale } = prepareQuery('', extreme);
    const dot = (vector as Int16Array).reduce((sum, component) => sum + component * 127, 0);
    expect(dot).toBeLessThan(2 ** 31);
    expect(dot * scale * (1 / 32 / 127)).toBeCloseTo(1, 5);
  });
});

test('scan() rejects a wrong number of records', () => {
  kernel.begin([1], { vector: null, scale: 0, core: null }, recordBytes(1));
  const entry = encodeEntry({ header: { terms: Uint32Array.of(1), counts: Uint8Array.of(1), length: 1 }, units: [] });
  kernel.load(entry, 0);
  expect(() => kernel.scan(entry.length, 2)).toThrow('damaged');
});

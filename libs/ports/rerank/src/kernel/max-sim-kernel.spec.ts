import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import initWabt from 'wabt';
import { MaxSimKernel } from './max-sim-kernel.ts';

const ROW = 64;

test('the committed module equals the compiled source', async () => {
  const wabt = await initWabt();
  const source = readFileSync(new URL('./max-sim.wat', import.meta.url), 'utf8');
  const compiled = wabt.parseWat('max-sim.wat', source, { simd: true }).toBinary({}).buffer;
  expect(Buffer.from(compiled).equals(readFileSync(new URL('./max-sim.wasm', import.meta.url)))).toBe(true);
});

const row = fc.int8Array({ minLength: ROW, maxLength: ROW, min: -127, max: 127 });
const rows = (maxLength: number) => fc.array(row, { minLength: 1, maxLength });
const joined = (all: readonly Int8Array[]) => Int8Array.from(all.flatMap((one) => [...one]));

/** Reference implementation. */
function maxSimPlainly(question: readonly Int8Array[], passage: readonly Int8Array[]): number {
  const dot = (a: Int8Array, b: Int8Array) => a.reduce((sum, value, d) => sum + value * b[d]!, 0);
  const best = question.map((q) => Math.max(...passage.map((p) => dot(q, p))));
  return best.reduce((sum, each) => sum + each, 0) / question.length / 127 ** 2;
}

test('computes what the reference implementation computes, of parts as of the whole', () => {
  const kernel = new MaxSimKernel();
  fc.assert(
    fc.property(rows(6), fc.array(rows(5), { minLength: 1, maxLength: 3 }), (question, parts) => {
      kernel.begin(joined(question));
      expect(kernel.compare(parts.map(joined))).toBeCloseTo(maxSimPlainly(question, parts.flat()), 9);
    }),
  );
});

test('compares a passage that is larger than the memory', () => {
  const kernel = new MaxSimKernel();
  const best = new Int8Array(ROW).fill(16);
  kernel.begin(best);
  const passage = new Int8Array(1024 * 1024);
  passage.set(best, passage.length - ROW);
  expect(kernel.compare([passage])).toBeCloseTo((ROW * 16 ** 2) / 127 ** 2, 9);
});

test('compares nothing without tokens', () => {
  const kernel = new MaxSimKernel();
  expect(kernel.compare([new Int8Array(ROW)])).toBeNull();
  kernel.begin(new Int8Array(ROW));
  expect(kernel.compare([])).toBeNull();
  expect(kernel.compare([new Int8Array()])).toBeNull();
});

test('of a very long question the beginning counts', () => {
  const kernel = new MaxSimKernel();
  const question = new Int8Array(2_000 * ROW);
  question.fill(127, 1_024 * ROW);
  kernel.begin(question);
  expect(kernel.compare([new Int8Array(ROW).fill(127)])).toBe(0);
});

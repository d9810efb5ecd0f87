import { mnemeError } from '#platform/kernel';
import type { TokenBasis } from './token-basis.ts';

export type BasisSize = Pick<TokenBasis, 'stateDimensions' | 'dimensions'>;

/** The bytes of a basis are more or fewer than those that were written. */
class DamagedBasisError extends mnemeError('permanent', 'damaged_basis') {}

const STEPS = 32_767;

/**
 * Returns the mean and the rows, each as its largest absolute number (32 bits, little-endian) and one number of 16 bits for
 * each dimension, in steps of 1/32,767 of the largest.
 */
export function encodeBasis({ stateDimensions, mean, rows }: TokenBasis): Uint8Array {
  const values = new Float32Array(mean.length + rows.length);
  values.set(mean);
  values.set(rows, mean.length);
  const size = 4 + 2 * stateDimensions;
  const count = values.length / stateDimensions;
  const bytes = new DataView(new ArrayBuffer(count * size));
  for (let row = 0; row < count; row++) {
    const own = values.subarray(row * stateDimensions, (row + 1) * stateDimensions);
    const most = own.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0) || 1;
    bytes.setFloat32(row * size, most, true);
    for (const [d, value] of own.entries()) {
      bytes.setInt16(row * size + 4 + 2 * d, Math.round((value / Math.fround(most)) * STEPS), true);
    }
  }
  return new Uint8Array(bytes.buffer);
}

/** @throws DamagedBasisError if the number of bytes is another one */
export function decodeBasis(encoded: Uint8Array, { stateDimensions, dimensions }: BasisSize): TokenBasis {
  const size = 4 + 2 * stateDimensions;
  const expected = (dimensions + 1) * size;
  if (encoded.length !== expected) {
    throw new DamagedBasisError(
      `The basis of tokens is damaged: it has ${encoded.length} bytes instead of ${expected}`,
    );
  }
  const bytes = new DataView(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  const rows = Array.from({ length: dimensions + 1 }, (_, row) => {
    const step = bytes.getFloat32(row * size, true) / STEPS;
    return Float32Array.from(
      { length: stateDimensions },
      (_, d) => bytes.getInt16(row * size + 4 + 2 * d, true) * step,
    );
  });
  const [mean = new Float32Array(), ...directions] = rows;
  const joined = new Float32Array(dimensions * stateDimensions);
  directions.forEach((row, i) => void joined.set(row, i * stateDimensions));
  return { stateDimensions, dimensions, mean, rows: joined };
}

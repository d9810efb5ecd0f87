import type { QuantizedVector } from '#ports/vector-store';

const SCALE_BYTES = 4;

/** Quantizes so that the largest component becomes ±127; the error is at most half a scale. @param vector finite numbers */
export function quantize(vector: Float32Array): QuantizedVector {
  const quantized = new Uint8Array(SCALE_BYTES + vector.length);
  let largest = 0;
  for (const component of vector) largest = Math.max(largest, Math.abs(component));
  if (largest === 0) return quantized;
  new DataView(quantized.buffer).setFloat32(0, largest / 127, true);
  const values = new Int8Array(quantized.buffer, SCALE_BYTES);
  for (let i = 0; i < vector.length; i++) values[i] = Math.round(((vector[i] as number) / largest) * 127);
  return quantized;
}

export function dequantize(quantized: QuantizedVector): Float32Array {
  const scale = scaleOf(quantized);
  return Float32Array.from(valuesOf(quantized), (value) => value * scale);
}

export const dimensionsOf = (quantized: QuantizedVector): number => quantized.length - SCALE_BYTES;

export const scaleOf = ({ buffer, byteOffset }: QuantizedVector): number =>
  new DataView(buffer, byteOffset).getFloat32(0, true);

export const valuesOf = (quantized: QuantizedVector): Int8Array =>
  new Int8Array(quantized.buffer, quantized.byteOffset + SCALE_BYTES, dimensionsOf(quantized));

/** Builds a quantized vector, in the layout of `quantize`, from its scale and values. */
export function quantizedFrom(scale: number, values: Uint8Array): QuantizedVector {
  const quantized = new Uint8Array(SCALE_BYTES + values.length);
  new DataView(quantized.buffer).setFloat32(0, scale, true);
  quantized.set(values, SCALE_BYTES);
  return quantized;
}

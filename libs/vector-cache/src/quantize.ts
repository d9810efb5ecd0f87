import type { QuantizedVector } from './port.ts';

const SCALE_BYTES = 4;

/** @param vector finite numbers @returns the largest component becomes ±127; each is off by at most half a scale */
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
  const { buffer, byteOffset, length } = quantized;
  const scale = new DataView(buffer, byteOffset).getFloat32(0, true);
  const values = new Int8Array(buffer, byteOffset + SCALE_BYTES, length - SCALE_BYTES);
  return Float32Array.from(values, (value) => value * scale);
}

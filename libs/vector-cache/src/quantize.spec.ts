import fc from 'fast-check';
import { dequantize, quantize } from './quantize.ts';

describe('quantize', () => {
  it('keeps every component within half a step of the largest', () => {
    const component = fc.integer({ min: -1000, max: 1000 }).map((thousandths) => thousandths / 1000);
    fc.assert(
      fc.property(fc.array(component, { minLength: 1, maxLength: 50 }), (components) => {
        const back = dequantize(quantize(Float32Array.from(components)));
        const step = Math.max(...components.map(Math.abs)) / 127;
        for (const [i, value] of components.entries())
          expect(Math.abs(value - back[i]!)).toBeLessThanOrEqual(step * 0.51);
      }),
    );
  });

  it('lays out the scale first, then one byte per component', () => {
    const quantized = quantize(Float32Array.of(1, -0.5, 0));
    expect(new DataView(quantized.buffer).getFloat32(0, true)).toBeCloseTo(1 / 127);
    expect([...new Int8Array(quantized.buffer, 4)]).toEqual([127, -63, 0]);
  });

  it('keeps the zero vector', () => {
    expect([...dequantize(quantize(new Float32Array(3)))]).toEqual([0, 0, 0]);
  });
});

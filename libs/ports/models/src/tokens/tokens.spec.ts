import fc from 'fast-check';
import { basisOf } from './bases.ts';
import { decodeBasis, encodeBasis } from './basis-codec.ts';
import { maxSim, projectStates, type TokenBasis } from './token-basis.ts';

/** Three dimensions of a state, of which the second and the third are kept. */
const SMALL: TokenBasis = {
  stateDimensions: 3,
  dimensions: 2,
  mean: Float32Array.of(7, 1, 0),
  rows: Float32Array.of(0, 1, 0, 0, 0, 1),
};

describe('the basis of e5-small-v2', () => {
  const { stateDimensions, dimensions, rows } = basisOf('e5-small-v2-q');
  const row = (i: number) => rows.subarray(i * stateDimensions, (i + 1) * stateDimensions);

  it('has 64 directions, each at a right angle to the others', () => {
    expect([stateDimensions, dimensions]).toEqual([384, 64]);
    for (let i = 0; i < dimensions; i++) {
      for (let j = 0; j <= i; j++) {
        const product = row(i).reduce((sum, value, d) => sum + value * row(j)[d]!, 0);
        expect(product).toBeCloseTo(i === j ? 1 : 0, 3);
      }
    }
  });
});

it('a basis is read as it was written, to 1/30,000', () => {
  const read = decodeBasis(encodeBasis(SMALL), SMALL);
  [...read.mean].forEach((value, i) => void expect(value).toBeCloseTo(SMALL.mean[i] as number, 3));
  [...read.rows].forEach((value, i) => void expect(value).toBeCloseTo(SMALL.rows[i] as number, 4));
});

it('a basis of which bytes are missing is refused', () => {
  expect(() => decodeBasis(encodeBasis(SMALL).subarray(1), SMALL)).toThrow('29 bytes instead of 30');
});

it('projected() subtracts the mean, and returns vectors of unit length', () => {
  const states = Float32Array.of(9, 4, 4, 7, 1, 0);
  const vectors = [...projectStates(states, SMALL)];
  [0.6, 0.8, 0, 0].forEach((expected, i) => void expect(vectors[i]).toBeCloseTo(expected, 6));
});

describe('maxSim()', () => {
  it('is the mean, over the tokens of the question, of the highest cosine with a token of the passage', () => {
    const question = Float32Array.of(1, 0, 0, 1);
    expect(maxSim(question, Float32Array.of(1, 0, 0.6, 0.8), 2)).toBeCloseTo((1 + 0.8) / 2, 6);
    expect(maxSim(question, Float32Array.of(-1, 0), 2)).toBeCloseTo((-1 + 0) / 2, 6);
  });

  it('is 1 for the same tokens, and never lower for a longer passage', () => {
    const angle = fc.double({ min: 0, max: 6.28, noNaN: true });
    const tokens = fc
      .array(angle, { minLength: 1, maxLength: 8 })
      .map((angles) => Float32Array.from(angles.flatMap((one) => [Math.cos(one), Math.sin(one)])));
    fc.assert(
      fc.property(tokens, tokens, tokens, (question, passage, more) => {
        expect(maxSim(question, question, 2)).toBeCloseTo(1, 5);
        const longer = Float32Array.of(...passage, ...more);
        expect(maxSim(question, longer, 2)).toBeGreaterThanOrEqual(maxSim(question, passage, 2));
      }),
    );
  });
});

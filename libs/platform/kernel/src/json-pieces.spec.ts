import fc from 'fast-check';
import { jsonPieces, stringPieces } from './json-pieces.ts';

const LONG = 'a'.repeat(131_071);

describe('jsonPieces', () => {
  it('are the JSON of any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 3 }), (value, long) => {
        const whole = { value, texts: Array(long).fill(`${LONG}\u{1f600}"\ud800`), left: undefined };
        expect([...jsonPieces(whole)].join('') === JSON.stringify(whole)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('are short, also of a long list and a long string', () => {
    for (const value of [Array(100_000).fill({ a: 'text' }), LONG.repeat(8)]) {
      const pieces = [...jsonPieces(value)];
      expect(pieces.length).toBeGreaterThan(5);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(300_000);
    }
  });
});

describe('stringPieces', () => {
  it('never separate a surrogate pair', () => {
    const pieces = [...stringPieces(`${LONG}\u{1f600}b`)];
    expect(pieces).toEqual([`${LONG}\u{1f600}`, 'b']);
  });

  it('of an empty string are none', () => {
    expect([...stringPieces('')]).toEqual([]);
  });
});

import fc from 'fast-check';
import { ValueBuilder, ValuePieces } from './tokens.ts';

/** Passes a value on as threads do. */
function passed(value: unknown): { value: unknown; pieces: number; longest: number } {
  const source = new ValuePieces(value);
  const builder = new ValueBuilder();
  let pieces = 0;
  let longest = 0;
  do {
    const tokens = structuredClone(source.next());
    builder.add(tokens);
    pieces += 1;
    longest = Math.max(longest, tokens.length / 2);
  } while (!source.isDone);
  return { value: builder.value, pieces, longest };
}

test('any JSON arrives as it was', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.stringify(passed(value).value)).toBe(JSON.stringify(value));
    }),
  );
});

test('a long list arrives in pieces', () => {
  const list = Array.from({ length: 10_000 }, (_, i) => ({ i, texts: [String(i)] }));
  const { value, pieces, longest } = passed(list);
  expect(value).toEqual(list);
  expect(pieces).toBeGreaterThan(10);
  expect(longest).toBeLessThan(5_000);
});

test('long texts arrive one by one', () => {
  const texts = Array.from({ length: 5 }, (_, i) => String(i).repeat(2_000_000));
  expect(passed({ texts })).toMatchObject({ value: { texts }, pieces: 6 });
});

import fc from 'fast-check';
import { jsonSize, MAX_JSON_DEPTH, MAX_JSON_VALUES } from './json-size.ts';

const sizeOf = (text: string) => jsonSize(Buffer.from(text));

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, one) => sum + valuesIn(one), 1);
}

describe('jsonSize', () => {
  it('counts the values of any JSON, keys excluded', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        expect(sizeOf(JSON.stringify(value, null, indent))).toEqual({ exceeds: null, values: valuesIn(value) });
      }),
    );
  });

  it.each([
    ['[{"a,b":"c]\\"[,"}]', 3],
    ['"\\\\"', 1],
    ['[ ]', 1],
    ['{"a":[{},[],""]}', 5],
  ])('%s has %i values', (text, values) => {
    expect(sizeOf(text)).toEqual({ exceeds: null, values });
  });

  it.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])('limits the depth of %s', (open, close) => {
    const nested = (depth: number) => sizeOf(open.repeat(depth) + (open === '[' ? '' : '1') + close.repeat(depth));
    expect(nested(MAX_JSON_DEPTH).exceeds).toBeNull();
    expect(nested(MAX_JSON_DEPTH + 1).exceeds).toBe('depth');
  });

  it.each(['1', '{}', '[]', '""'])('limits the number of values: %s', (value) => {
    const list = (length: number) => sizeOf(`[${Array(length).fill(value).join(',')}]`);
    expect(list(MAX_JSON_VALUES - 1)).toEqual({ exceeds: null, values: MAX_JSON_VALUES });
    expect(list(MAX_JSON_VALUES).exceeds).toBe('values');
  });

  it.each(['"abc', '"abc\\', '[[', ']]]', ',,,', ''])('ends for a text that is not JSON: %j', (text) => {
    expect(sizeOf(text).exceeds).toBeNull();
  });
});

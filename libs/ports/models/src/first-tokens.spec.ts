import { firstTokens } from './first-tokens.ts';

/** One token per word: its length. Remembers the texts that it was given. */
function words() {
  const given: string[] = [];
  const encode = (text: string) => {
    given.push(text);
    return text.split(' ').map(({ length }) => length);
  };
  return { given, encode };
}

describe('the first tokens of a text', () => {
  test('of a long text are found without reading it to its end', () => {
    const { given, encode } = words();
    const text = 'four word text '.repeat(5_000);
    expect(firstTokens(text, 512, encode).slice(0, 512)).toEqual(encode(text).slice(0, 512));
    expect(given[0]!.length).toBeLessThan(text.length / 10);
    expect(given).toHaveLength(2);
  });

  test('do not hold a word that was cut', () => {
    const { encode } = words();
    const text = `${'ab '.repeat(1_000)}${'c'.repeat(3_000)} ${'ab '.repeat(2_000)}`;
    const tokens = firstTokens(text, 990, encode);
    expect(tokens.length).toBeGreaterThan(990);
    expect(tokens.every((length) => length === 2)).toBe(true);
  });

  test('are those of a longer beginning, where words are long or nothing separates them', () => {
    const { encode } = words();
    const long = `${'x'.repeat(100)} `.repeat(150);
    expect(firstTokens(long, 100, encode)).toEqual(encode(long));
    const unseparated = '茶'.repeat(6_000);
    expect(firstTokens(unseparated, 512, encode)).toEqual([6_000]);
  });

  test('of a short text are all tokens', () => {
    const { given, encode } = words();
    expect(firstTokens('one two', 512, encode)).toEqual([3, 3]);
    expect(given).toEqual(['one two']);
  });
});

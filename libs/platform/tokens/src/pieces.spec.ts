import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { piecesOf } from './pieces.ts';

const AS_TEXT = { disallowedSpecial: new Set<string>() };
const exact = (text: string): number => countTokens(text, AS_TEXT);
const byPieces = (text: string): number => [...piecesOf(text)].reduce((sum, piece) => sum + exact(piece), 0);

/** Words, scripts, and what tokens begin or end with. */
const PARTS = [
  ...['a', 'Word', 'Hello, ', '2023', '1', 'é', 'ß', 'ث', '漢字', '안녕', '\u0301', '😀', '👍🏽', '👨‍👩‍👧'],
  ...[' ', '  ', '\t', '\n', '\r\n', '\n\n', '.', '...', '/', '-', "'s", "'", '’', '"', '<|endoftext|>'],
];

/** Returns the same numbers in each run, 0…1. */
function* random(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield state / 2 ** 31;
  }
}

test('the pieces of a text are the text, have at most 1,000 characters, and their counts add up', () => {
  const numbers = random(7);
  const next = (most: number) => Math.floor(numbers.next().value * most);
  for (let i = 0; i < 200; i += 1) {
    const text = Array.from({ length: next(1_500) }, () => PARTS[next(PARTS.length)]).join('');
    const pieces = [...piecesOf(text)];
    expect(pieces.join('')).toBe(text);
    expect(Math.max(0, ...pieces.map(({ length }) => length))).toBeLessThanOrEqual(1_000);
    expect(byPieces(text)).toBe(exact(text));
  }
});

test('lines are counted one by one', () => {
  const lines = [
    '# Title\n',
    `- ${'word '.repeat(400)}\n`,
    '- .../\n',
    '2025-01-02, "x"\n',
    `- ${'漢'.repeat(1_500)}\n`,
  ];
  expect(byPieces(lines.join(''))).toBe(lines.reduce((sum, line) => sum + byPieces(line), 0));
});

test.each([
  ['letters', 'a'.repeat(5_000)],
  ['ideographs', '漢'.repeat(3_000)],
  ['surrogate pairs', `x${'😀'.repeat(2_000)}`],
])('a run of %s without a break is cut, for a token at the most, and never inside a pair', (_, text) => {
  const pieces = [...piecesOf(text)];
  expect(pieces.every((piece) => piece.isWellFormed() && piece.length <= 1_000)).toBe(true);
  expect(byPieces(text)).toBeGreaterThanOrEqual(exact(text));
  expect(byPieces(text)).toBeLessThanOrEqual(exact(text) + pieces.length);
});

test('half of a pair is counted as it is', () => {
  expect([...piecesOf(`${'\ud83d'.repeat(1_500)}`)].join('')).toHaveLength(1_500);
});

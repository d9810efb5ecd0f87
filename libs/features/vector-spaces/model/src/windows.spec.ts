import { estimateTokens, formMemories } from '#processing/extraction';
import { WINDOW_TOKENS, windowsOf } from './windows.ts';

const PEOPLE = ['Maren', 'Ruben', 'The ferryman', 'Her uncle', 'Nobody', 'The old baker', 'Every second guest'];
const VERBS = ['counted', 'painted', 'lost', 'repaired', 'described', 'hid behind', 'wrote about', 'sold', 'weighed'];
const THINGS = ['the kettle', 'three herons', 'a broken fence', 'the blue boat', 'all of the nets', 'his letters'];

function lineOf(number: number): string {
  const pick = (words: readonly string[], step: number) => words[Math.floor(number / step) % words.length] as string;
  const more = number % 3 === 0 ? `, and ${pick(PEOPLE, 11)} ${pick(VERBS, 2)} ${pick(THINGS, 5)} too` : '';
  return `${pick(PEOPLE, 1)} ${pick(VERBS, 7)} ${pick(THINGS, 3)} on day ${number}${more}.`;
}

/** The windows of a text's memories, each as one string. */
function windowsIn(lines: readonly string[]): string[] {
  const text = lines.join('\n');
  const memories = formMemories(text).map(({ start, end }) => text.slice(start, end));
  return windowsOf(memories).map(({ start, end }) => memories.slice(start, end).join('|'));
}

it('covers all texts in order, with windows of limited size', () => {
  const texts = Array.from({ length: 500 }, (_, i) => lineOf(i));
  let next = 0;
  for (const { start, end } of windowsOf(texts)) {
    expect(start).toBe(next);
    const tokens = texts.slice(start, end).reduce((sum, text) => sum + estimateTokens(text), 0);
    expect(tokens).toBeLessThanOrEqual(WINDOW_TOKENS);
    next = end;
  }
  expect(next).toBe(texts.length);
  expect(windowsOf([])).toEqual([]);
});

it('leaves a text that is larger than a window alone, and makes one window of a short document', () => {
  const long = 'word '.repeat(200);
  expect(windowsOf(['One.', long, 'Two.'])).toEqual([
    { start: 0, end: 1 },
    { start: 1, end: 2 },
    { start: 2, end: 3 },
  ]);
  expect(windowsOf(Array.from({ length: 5 }, (_, i) => lineOf(i)))).toEqual([{ start: 0, end: 5 }]);
});

it('fills windows well, so that few tokens are spent on their ends', () => {
  const lines = Array.from({ length: 2_000 }, (_, i) => lineOf(i));
  expect(estimateTokens(lines.join('\n')) / windowsIn(lines).length).toBeGreaterThan(WINDOW_TOKENS / 2);
});

describe('of 5,000 lines', () => {
  const lines = Array.from({ length: 5_000 }, (_, i) => lineOf(i));
  const before = new Set(windowsIn(lines));
  const newIn = (changed: readonly string[]) => windowsIn(changed).filter((window) => !before.has(window)).length;

  it.each([
    ['inserted at the top', [lineOf(9_001), ...lines], 20],
    ['inserted in the middle', lines.toSpliced(2_500, 0, lineOf(9_002)), 20],
    ['replaced', lines.with(1_234, lineOf(9_003)), 20],
    ['deleted', lines.toSpliced(4_000, 1), 20],
    ['appended', [...lines, lineOf(9_004)], 6],
  ])('a line that is %s changes few windows', (_, changed, most) => {
    const count = newIn(changed);
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(most);
  });
});

import { isolate, wrap } from './lines.ts';

const linesOf = (text: string) => wrap(text, '    ').split('\n');

test('wrapped() breaks lines between words', () => {
  const lines = linesOf('the heron waits at the edge of the water '.repeat(8).trim());
  expect(lines.every((line) => line.length <= 100 && /^ {4}\S.*\S$/.test(line))).toBe(true);
  expect(lines.map((line) => line.trim()).join(' ')).toBe('the heron waits at the edge of the water '.repeat(8).trim());
});

test.each([
  ['Chinese', '我们的数据库支持全文搜索', 48],
  ['Thai', 'ฉันทำงานที่กรุงเทพทุกวัน', 96],
])('wrapped() breaks lines of %s between words, by the columns of its characters', (_, words, most) => {
  const text = words.repeat(20);
  const lines = linesOf(text).map((line) => line.trim());
  expect(lines.join('')).toBe(text);
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const lengths = lines.map((line) => [...segmenter.segment(line)].length);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(most);
  expect(Math.min(...lengths.slice(0, -1))).toBeGreaterThan(most / 2);
});

test('wrapped() divides a word that is longer than a line', () => {
  expect(linesOf('x'.repeat(200)).map((line) => line.trim().length)).toEqual([96, 96, 8]);
});

test('isolated() frames right-to-left text only', () => {
  expect(isolate('הילד קרא')).toBe('\u2068הילד קרא\u2069');
  expect(isolate('The heron waits')).toBe('The heron waits');
});

test('wrapped() isolates each line of right-to-left text', () => {
  const lines = wrap(`“${'קרא סיפור ארוך בערב '.repeat(10).trim()}”`, '  ').split('\n');
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.every((line) => /^ {2}\u2068[^\u2068]+\u2069$/.test(line))).toBe(true);
});

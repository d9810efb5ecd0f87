import { clip } from './characters.ts';

test.each([
  ['a word', 'The heron waits at the edge of the water', 20, 'The heron waits at…'],
  ['a Chinese word', '我们的数据库支持全文搜索', 8, '我们的数据库…'],
  ['a Thai word', 'ฉันทำงานที่กรุงเทพทุกวัน', 14, 'ฉันทำงานที่…'],
  ['an Arabic word', 'قرأت الطالبة الكتاب في المكتبة', 22, 'قرأت الطالبة الكتاب…'],
  ['a letter with its sign', 'ก้'.repeat(20), 8, `${'ก้'.repeat(3)}…`],
  ['a family', '👨‍👩‍👧'.repeat(4), 20, '👨‍👩‍👧👨‍👩‍👧…'],
  ['a letter of a very long word', 'x'.repeat(50), 10, `${'x'.repeat(9)}…`],
])('clip() keeps %s whole', (_what, text, limit, clipped) => {
  expect(clip(text, limit)).toBe(clipped);
});

test('clip() returns what fits as it is, on one line', () => {
  expect(clip('  谁负责\n发票？ ', 20)).toBe('谁负责 发票？');
});

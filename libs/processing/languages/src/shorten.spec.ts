import { codePoints, codeUnits, shortened } from './index.ts';

test.each([
  ['a word', 'The heron waits at the edge of the water', 20, 'The heron waits at…'],
  ['a word that ends at the limit', 'The heron waits at the edge', 19, 'The heron waits at…'],
  ['a Chinese word', '我们的数据库支持全文搜索', 8, '我们的数据库…'],
  ['a Japanese word', '全文検索のデータベースです', 6, '全文検索の…'],
  ['a Thai word', 'ฉันทำงานที่กรุงเทพทุกวัน', 14, 'ฉันทำงานที่…'],
  ['an Arabic word', 'قرأت الطالبة الكتاب في المكتبة', 22, 'قرأت الطالبة الكتاب…'],
  ['a Hebrew word', 'הילד קרא סיפור ארוך בערב', 16, 'הילד קרא סיפור…'],
  ['a letter with its sign', 'ก้'.repeat(20), 8, `${'ก้'.repeat(3)}…`],
  ['a family', '👨‍👩‍👧'.repeat(4), 18, '👨‍👩‍👧'.repeat(3).concat('…')],
  ['a pair of surrogates', '𠮷'.repeat(20), 6, `${'𠮷'.repeat(5)}…`],
  ['a letter of a very long word', 'x'.repeat(50), 10, `${'x'.repeat(9)}…`],
])('shortened() keeps %s whole', (_what, text, most, expected) => {
  expect(shortened(text, most)).toBe(expected);
  expect(codePoints(expected)).toBeLessThanOrEqual(most);
});

test('shortened() returns what fits as it is', () => {
  expect(shortened('谁负责发票？', 6)).toBe('谁负责发票？');
  expect(shortened('𠮷'.repeat(6), 6)).toBe('𠮷'.repeat(6));
});

test('shortened() counts what the caller counts', () => {
  expect(shortened('𠮷'.repeat(6), 6, codeUnits)).toBe('𠮷𠮷…');
});

test('shortened() cuts within a character that fills the limit alone', () => {
  expect(shortened(`e${'\u0301'.repeat(500)}`, 10)).toBe(`e${'\u0301'.repeat(8)}…`);
});

test('shortened() leaves no frame of right-to-left text without an end', () => {
  expect(shortened('\u2067הילד קרא סיפור ארוך\u2069 בערב', 16)).toBe('הילד קרא סיפור…');
});

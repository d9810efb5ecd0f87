import { clip } from './characters.ts';

test('clip() returns what fits as it is, on one line', () => {
  expect(clip('  谁负责\n发票？ ', 20)).toBe('谁负责 发票？');
});

test('clip() cuts at a word', () => {
  expect(clip('The heron\nwaits at the edge', 20)).toBe('The heron waits at…');
  expect(clip('我们的数据库支持全文搜索', 8)).toBe('我们的数据库…');
});

test('clip() shows that more follows white space', () => {
  expect(clip(`Heron${' '.repeat(500)}waits`, 20)).toBe('Heron…');
});

test('clip() leaves out characters that are not shown', () => {
  expect(clip('Har\u00adbour\ufeff and light\u200bhouse', 40)).toBe('Harbour and lighthouse');
});

test('clip() leaves out what frames right-to-left text', () => {
  expect(clip('\u202bהילד קרא', 20)).toBe('הילד קרא');
});

import { readableQuestion } from './readable.ts';

test('a question is on one line, without characters that are not shown', () => {
  expect(readableQuestion(' Where is\nthe light\u200bhouse of har\u00adbour\ufeff? ')).toBe(
    'Where is the lighthouse of harbour?',
  );
});

test.each(['???', '\u200b\u00ad', '🏆'])('%j asks nothing', (text) => {
  expect(readableQuestion(text)).toBeNull();
});

import { TextTokens } from './index.ts';
import { MOST_COUNTED } from './text-tokens.ts';

function counters() {
  const counted: string[] = [];
  const estimated: string[] = [];
  const tokens = new TextTokens(
    async (texts) => texts.map((text) => counted.push(text) && text.length),
    async (texts) => texts.map((text) => estimated.push(text) && -text.length),
  );
  return { tokens, counted, estimated };
}

test('a text is counted once', async () => {
  const { tokens, counted } = counters();
  expect(await tokens.count(['a', 'bb'])).toEqual([1, 2]);
  expect(await tokens.count(['a', 'ccc', 'bb'])).toEqual([1, 3, 2]);
  expect(counted).toEqual(['a', 'bb', 'ccc']);
});

test('much new text is estimated, and counted by later calls', async () => {
  const { tokens, counted, estimated } = counters();
  await tokens.count(['a']);
  const long = 'x'.repeat(MOST_COUNTED);
  expect(await tokens.count(['a', long, 'bb', 'a'])).toEqual([1, MOST_COUNTED, -2, 1]);
  expect(estimated).toEqual(['bb']);
  expect(await tokens.count(['a', long, 'bb'])).toEqual([1, MOST_COUNTED, 2]);
  expect(counted).toEqual(['a', long, 'bb']);
});

import { TokenCounters } from './token-counters.ts';

const warnings: string[] = [];
const counters = new TokenCounters({ warn: (message) => void warnings.push(message) });
afterAll(() => counters.close());

test('counts as o200k does, special tokens as text', async () => {
  expect(await counters.of('o200k')(['', 'hello world', '<|endoftext|>', '漢字', '\ud83d'])).toEqual([0, 2, 7, 2, 1]);
});

test('a text with more than enough tokens is not counted to its end', async () => {
  const [tokens = 0] = await counters.of('o200k')(['word '.repeat(100_000)], 50);
  expect(tokens).toBeGreaterThan(50);
  expect(tokens).toBeLessThan(1_000);
});

test('an estimate is more than o200k counts', async () => {
  const texts = [
    'The cattle came through the broken fence.',
    'Die Rinder kamen durch den Zaun.',
    '牛は昨夜、壊れた柵を越えた。',
  ];
  const estimates = await counters.of('estimate')(texts);
  expect(estimates).toEqual([14, 11, 21]);
  const counts = await counters.of('o200k')(texts);
  for (const [i, count] of counts.entries()) expect(estimates[i]).toBeGreaterThanOrEqual(count);
});

test('after the thread has ended, the next count starts it again', async () => {
  expect(await counters.of('o200k')(['one'])).toEqual([1]);
  await counters.close();
  expect(await counters.of('o200k')(['one two'])).toEqual([2]);
  expect(warnings).toEqual([]);
});

import { rerankedSimilarity } from './reranked.ts';

const NO_WORDS = { cosineBare: null, cosineWide: null, share: 0, shareWide: 0, density: 0 };

test.each([
  ['unrelated', 0.1, {}, 0, 0.5],
  ['unrelated, with a word in common', 0.33, { share: 0.3, shareWide: 0.3 }, 0, 0.6],
  ['a paraphrase without a common word', 0.55, {}, 0.6, 0.85],
  ['a paraphrase', 0.65, { share: 0.4, shareWide: 0.4 }, 0.6, 0.85],
  ['a near copy in other words', 0.85, { share: 0.6, shareWide: 0.6 }, 0.85, 1],
  ['a copy', 0.9, { share: 1, shareWide: 1, density: 1 }, 0.85, 1],
  ['an identifier without meaning to the model', 0.1, { share: 1, shareWide: 1, density: 0.05 }, 0.6, 0.85],
])('by MaxSim: %s', (_, score, evidence, atLeast, below) => {
  const value = rerankedSimilarity('maxsim', score, { ...NO_WORDS, ...evidence });
  expect(value).toBeGreaterThanOrEqual(atLeast);
  expect(value).toBeLessThan(below);
});

test('by a cross-encoder it is the probability of its logit, and words do not count', () => {
  const copy = { ...NO_WORDS, share: 1, shareWide: 1, density: 1 };
  expect(rerankedSimilarity('cross-encoder', 0, copy)).toBe(0.5);
  expect(rerankedSimilarity('cross-encoder', 3, NO_WORDS)).toBeGreaterThan(0.95);
  expect(rerankedSimilarity('cross-encoder', -3, copy)).toBeLessThan(0.05);
});

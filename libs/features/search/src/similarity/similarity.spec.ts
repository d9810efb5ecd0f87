import fc from 'fast-check';
import { capInOrder, similarity } from './similarity.ts';

const E5 = 'e5-small-v2-q.1.384';
const hit = { cosineBare: null, cosineWide: null, share: 0, shareWide: 0, density: 0 };

describe('without vectors', () => {
  test.each([
    ['a copy', { share: 1, shareWide: 1, density: 0.95 }, 0.85, 1],
    ['a copy with a word changed', { share: 0.85, shareWide: 0.85, density: 0.85 }, 0.85, 1],
    ['two of three words', { share: 0.67, shareWide: 0.67, density: 0.3 }, 0.6, 0.85],
    ['all words in a long text', { share: 1, shareWide: 1, density: 0.05 }, 0.6, 0.85],
    ['one of three words', { share: 0.33, shareWide: 0.33, density: 0.2 }, 0, 0.6],
    ['nothing', {}, 0, 0.2],
  ])('%s', (_, evidence, atLeast, below) => {
    const value = similarity({ ...hit, ...evidence }, null);
    expect(value).toBeGreaterThanOrEqual(atLeast);
    expect(value).toBeLessThan(below);
  });
});

describe('with vectors of e5', () => {
  test.each([
    ['a copy', { cosineBare: 0.93, cosineWide: 0.88, share: 1, shareWide: 1, density: 1 }, 0.85, 1],
    ['a near copy in other words', { cosineBare: 0.92, cosineWide: 0.9, share: 0.4, shareWide: 0.5 }, 0.85, 1],
    ['a paraphrase', { cosineBare: 0.87, cosineWide: 0.83, share: 0.1, shareWide: 0.1 }, 0.6, 0.85],
    ['a paraphrase without a common word', { cosineBare: 0.8, cosineWide: 0.78 }, 0.6, 0.85],
    ['unrelated, with a word in common', { cosineBare: 0.76, cosineWide: 0.78, share: 0.3, shareWide: 0.3 }, 0, 0.6],
    ['unrelated', { cosineBare: 0.68, cosineWide: 0.7 }, 0, 0.4],
    ['an exact identifier without meaning to the model', { cosineBare: 0.74, share: 1, shareWide: 1 }, 0.6, 0.85],
    ['not embedded yet, a copy', { share: 1, shareWide: 1, density: 1 }, 0.85, 1],
  ])('%s', (_, evidence, atLeast, below) => {
    const value = similarity({ ...hit, ...evidence }, E5);
    expect(value).toBeGreaterThanOrEqual(atLeast);
    expect(value).toBeLessThan(below);
  });
});

const unit = fc.double({ min: 0, max: 1, noNaN: true });
const cosine = fc.option(fc.double({ min: -1, max: 1, noNaN: true }));
const evidence = fc.record({ cosineBare: cosine, cosineWide: cosine, share: unit, shareWide: unit, density: unit });
const space = fc.constantFrom(null, E5, 'unheard-of.3.64', 'constructor.1.32');

test('similarity() is between 0 and 1 and monotonic in the evidence', () => {
  fc.assert(
    fc.property(evidence, evidence, space, (one, other, name) => {
      const more = {
        cosineBare: Math.max(one.cosineBare ?? -1, other.cosineBare ?? -1),
        cosineWide: Math.max(one.cosineWide ?? -1, other.cosineWide ?? -1),
        share: Math.max(one.share, other.share),
        shareWide: Math.max(one.shareWide, other.shareWide),
        density: Math.max(one.density, other.density),
      };
      const value = similarity(one, name);
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(1);
      expect(similarity(more, name)).toBeGreaterThanOrEqual(value);
    }),
  );
});

test('capInOrder() returns a non-increasing list and raises no value', () => {
  expect(capInOrder([0.8, 0.9, 0.5, 0.7])).toEqual([0.8, 0.8, 0.5, 0.5]);
  expect(capInOrder([])).toEqual([]);
});

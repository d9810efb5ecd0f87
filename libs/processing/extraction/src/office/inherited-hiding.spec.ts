import { hidingStyles } from './inherited-hiding.ts';

test('a style hides its words by what it says itself, or else by the one that it is based on', () => {
  const own = new Map([
    ['hidden', true],
    ['shown', false],
  ]);
  const bases = new Map([
    ['note', 'comment'],
    ['comment', 'hidden'],
    ['shown', 'hidden'],
    ['title', 'missing'],
  ]);
  expect(hidingStyles(own, bases)).toEqual(new Set(['hidden', 'note', 'comment']));
});

test('styles that are based on each other hide nothing', () => {
  const bases = new Map([
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'b'],
  ]);
  expect(hidingStyles(new Map(), bases)).toEqual(new Set());
});

test('a style that is based on very many others hides its words, too', () => {
  const bases = new Map(Array.from({ length: 200_000 }, (_, i) => [`s${i}`, `s${i + 1}`]));
  expect(hidingStyles(new Map([['s200000', true]]), bases).size).toBe(200_001);
});

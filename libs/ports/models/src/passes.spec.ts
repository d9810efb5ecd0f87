import { passesOf } from './passes.ts';

it('fills passes with whole texts, in their order', () => {
  expect(passesOf([40, 40, 40, 10], 100)).toEqual([
    [
      { text: 0, from: 0, to: 40 },
      { text: 1, from: 0, to: 40 },
    ],
    [
      { text: 2, from: 0, to: 40 },
      { text: 3, from: 0, to: 10 },
    ],
  ]);
});

it('divides a text that is longer than a pass evenly', () => {
  expect(passesOf([250, 10], 100)).toEqual([
    [{ text: 0, from: 0, to: 83 }],
    [{ text: 0, from: 83, to: 166 }],
    [
      { text: 0, from: 166, to: 250 },
      { text: 1, from: 0, to: 10 },
    ],
  ]);
});

import { spaceOfRow, vectorOfQuery } from './one-space.ts';

it('refuses rows of more than two spaces, and queries of several', () => {
  expect(() => spaceOfRow({ vectorSpaces: ['a', 'b', 'c'] })).toThrow(RangeError);
  const values = Float32Array.of(1);
  expect(() => vectorOfQuery({ vectors: ['a', 'b'].map((space) => ({ space, values })) })).toThrow(RangeError);
});

import { fromStoredRow, type StoredRow, spaceOfRow, toStoredRow, vectorOfQuery } from './one-space.ts';
import { row } from './testing.ts';

const ORGANIZATION = 'organization' as ReturnType<typeof row>['organization'];

it.each([
  ['no space', []],
  ['one space', ['a']],
  ['two spaces', ['a', 'b']],
])('a stored row names its space in the field of earlier versions: %s', (_, vectorSpaces) => {
  const document = row(ORGANIZATION, { vectorSpaces });
  const stored = toStoredRow(document);
  expect(stored).toHaveProperty('vectorSpace', vectorSpaces[0] ?? null);
  expect(stored).not.toHaveProperty('vectorSpaces');
  expect(fromStoredRow(stored)).toEqual(document);
});

it('a row of an earlier version has no value in the fields that it lacks', () => {
  const { language, author, canonicalUrl, ...earlier } = toStoredRow(row(ORGANIZATION));
  expect(fromStoredRow(earlier as typeof earlier & StoredRow)).toMatchObject({
    language: null,
    author: null,
    canonicalUrl: null,
  });
});

it('refuses rows of more than two spaces, and queries of several', () => {
  expect(() => spaceOfRow({ vectorSpaces: ['a', 'b', 'c'] })).toThrow(RangeError);
  const values = Float32Array.of(1);
  expect(() => vectorOfQuery({ vectors: ['a', 'b'].map((space) => ({ space, values })) })).toThrow(RangeError);
});

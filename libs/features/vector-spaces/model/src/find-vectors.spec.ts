import { findVectors } from './find-vectors.ts';

const vector = (value: number) => Uint8Array.of(value);
const keys = (...names: readonly string[]) =>
  names.map((name) => ({ bare: [`bare ${name}`], wide: `wide ${name}`, tokens: 0 }));

function sourceOf(held: Readonly<Record<string, number>>) {
  const asked: string[][] = [];
  const get = (wanted: readonly string[]) => {
    asked.push([...wanted]);
    return wanted.map((key) => (held[key] === undefined ? null : vector(held[key])));
  };
  return { asked, get };
}

it('finds the vectors of several documents with one lookup, each key once', async () => {
  const source = sourceOf({ 'bare a': 1, 'wide a': 2, 'bare b': 3, 'wide b': 4 });
  expect(await findVectors(source, [keys('a', 'b'), null, keys('a')])).toEqual([
    [
      { bare: vector(1), wide: vector(2) },
      { bare: vector(3), wide: vector(4) },
    ],
    null,
    [{ bare: vector(1), wide: vector(2) }],
  ]);
  expect(source.asked).toEqual([['bare a', 'wide a', 'bare b', 'wide b']]);
});

it('finds none of a document that lacks one', async () => {
  const source = sourceOf({ 'bare a': 1, 'wide a': 2, 'bare b': 3 });
  expect(await findVectors(source, [keys('a', 'b'), keys('a')])).toEqual([
    null,
    [{ bare: vector(1), wide: vector(2) }],
  ]);
});

it('asks nothing if nothing is wanted', async () => {
  const source = sourceOf({});
  expect(await findVectors(source, [null, []])).toEqual([null, []]);
  expect(source.asked).toEqual([]);
});

it('finds several vectors of a unit, and none of the context of one whose context follows from its neighbours', async () => {
  const source = sourceOf({ a: 1, b: 2 });
  const chunk = { bare: ['a', 'b'], wide: null, tokens: 0 };
  const memory = { bare: ['b'], wide: null, tokens: 7 };
  expect(await findVectors(source, [[chunk, memory]])).toEqual([
    [
      { bare: vector(1), wide: null, others: [vector(2)] },
      { bare: vector(2), wide: null, tokens: 7 },
    ],
  ]);
  const lacking = { ...chunk, bare: ['a', 'c'] };
  expect(await findVectors(source, [[lacking]])).toEqual([null]);
});

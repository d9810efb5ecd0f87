import type { UnitHit } from '#read-side/views';
import { atLeast, inOrder } from './scored-hits.ts';

const hits = (...own: readonly number[]) =>
  own.map((value) => ({
    ...{ hit: {} as UnitHit, orderedBy: 'score' as const, order: 0 },
    own: value,
    explanation: { cosine: null, cosineWide: null, coverage: 0, ranking: null },
  }));
const shown = (list: readonly { readonly own: number; readonly similarity: number }[]) =>
  list.map(({ own, similarity }) => [own, similarity]);

test('similarities never rise down the list', () => {
  expect(shown(inOrder(hits(0.7, 0.5, 0.9)))).toEqual([
    [0.7, 0.7],
    [0.5, 0.5],
    [0.9, 0.5],
  ]);
});

test('a result below the threshold takes none of those after it along', () => {
  expect(shown(atLeast(inOrder(hits(0.5, 0.9, 0.7, 0.8)), 0.6))).toEqual([
    [0.9, 0.9],
    [0.7, 0.7],
    [0.8, 0.7],
  ]);
});

import type { NewText } from './add-documents.command.ts';
import { groupItems, roundsOf } from './groups.ts';

const items = (...documents: [customId: string | null, documentDate: string | null, ...tags: string[]][]) =>
  documents.map(([customId, documentDate, ...tags], index) => ({
    index,
    document: { customId, documentDate, tags } as unknown as NewText,
  }));

const order = (...documents: Parameters<typeof items>) =>
  groupItems(items(...documents)).map(({ name, items: members }) => [
    name?.customId ?? null,
    members.map(({ index }) => index),
  ]);

test('items without dates keep their order, each without a customId for itself', () => {
  expect(order([null, null], [null, null], ['a', null])).toEqual([
    [null, [0]],
    [null, [1]],
    ['a', [2]],
  ]);
});

test('dated items come oldest first, before those without a date', () => {
  expect(order([null, null], [null, '2025-03-01'], [null, '2025-02-01T12:00:00Z'], [null, '2025-02-01'])).toEqual([
    [null, [3]],
    [null, [2]],
    [null, [1]],
    [null, [0]],
  ]);
});

test('items with one customId are one group, at the place of its oldest', () => {
  expect(order(['a', '2025-02-01'], ['b', null], ['a', null], ['b', '2025-01-01'], ['a', '2025-03-01'])).toEqual([
    ['b', [3, 1]],
    ['a', [0, 4, 2]],
  ]);
});

test('items with one customId and other tags are groups of their own, which are recorded one after the other', () => {
  const sent = items(['a', null, 'x', 'y'], ['a', null, 'x'], ['b', null, 'x'], ['a', null, 'y', 'x'], ['a', null]);
  const rounds = roundsOf(groupItems(sent)).map((round) =>
    round.map(({ items: members }) => members.map(({ index }) => index)),
  );
  expect(rounds).toEqual([[[0, 3], [2]], [[1]], [[4]]]);
});

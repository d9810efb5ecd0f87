import fc from 'fast-check';
import { itemsToDrop } from './trimming.ts';

type Items = Parameters<typeof itemsToDrop>[0];
const user: Items[number] = { kind: 'user', calls: [], results: [] };
const assistant: Items[number] = { kind: 'assistant', calls: [], results: [] };
const call = (...calls: string[]): Items[number] => ({ kind: 'assistant', calls, results: [] });
const result = (...results: string[]): Items[number] => ({ kind: 'user', calls: [], results });
const drop = (items: Items, budget: number, step = 1) =>
  itemsToDrop(
    items,
    items.map(() => 10),
    budget,
    step,
  );

test('nothing leaves below the budget', () => {
  const items = [user, assistant, user];
  expect(drop(items, 30)).toBe(0);
});

test('the oldest turns leave, up to a turn of the user', () => {
  const items = [user, assistant, user, assistant, user];
  expect(drop(items, 49)).toBe(2);
  expect(drop(items, 25)).toBe(4);
});

test('the last turn of the user and what follows it stays', () => {
  const items = [user, assistant, user, user, call('a'), result('a'), assistant];
  expect(drop(items, 0)).toBe(2);
  expect(drop([assistant, assistant], 0)).toBe(0);
});

test('a call stays with its results, also when the user speaks in between', () => {
  const items = [user, call('a', 'b'), result('a'), user, result('b'), assistant, user];
  expect(drop(items, 60)).toBe(6);
});

test('calls without ids are told apart by their order', () => {
  const items = [user, call('f'), result('f'), assistant, user, call('f'), result('f'), assistant, user];
  expect(drop(items, 60)).toBe(4);
});

test('what leaves stays the same for some turns of a growing conversation', () => {
  const dropped = Array.from({ length: 40 }, (_, rounds) => {
    const items = Array.from({ length: 40 + rounds }, () => [user, assistant]).flat();
    return drop(items, 400, 50);
  });
  expect(new Set(dropped).size).toBeLessThan(20);
});

test('of any list, what stays begins with the user and has all pairs', () => {
  const id = fc.constantFrom('a', 'b', 'c');
  const ids = fc.array(id, { maxLength: 2 });
  const item = fc.oneof(
    fc.constant(user),
    fc.constant(assistant),
    ids.map((a) => call(...a)),
    ids.map((a) => result(...a)),
  );
  fc.assert(
    fc.property(fc.array(item), fc.nat(300), (items, budget) => {
      const dropped = drop(items, budget);
      if (items.length * 10 <= budget) return expect(dropped).toBe(0);
      if (dropped === 0) return;
      expect(items[dropped]).toEqual(user);
      expect(items.slice(dropped).some(({ kind }) => kind === 'user')).toBe(true);
      for (const one of ['a', 'b', 'c']) {
        // Read from the left, no result behind the cut belongs to a call before it.
        let waiting = 0;
        for (const { calls, results } of items.slice(0, dropped)) {
          waiting += calls.filter((name) => name === one).length;
          waiting = Math.max(0, waiting - results.filter((name) => name === one).length);
        }
        const after = items
          .slice(dropped)
          .flatMap(({ calls, results }) => [
            ...calls.filter((name) => name === one).map(() => 1),
            ...results.filter((name) => name === one).map(() => -1),
          ]);
        if (waiting > 0) expect(after.includes(-1)).toBe(false);
      }
    }),
    { numRuns: 1_000 },
  );
});

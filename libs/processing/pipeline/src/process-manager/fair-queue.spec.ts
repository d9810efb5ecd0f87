import fc from 'fast-check';
import { FairQueue } from './fair-queue.ts';

type Item = ReturnType<typeof item>;
const item = (tenant: string, n = 0, size = 0, caller = 'key') => ({ caller, tenant, n, size });

test('a single item of another tenant does not wait behind thousands', () => {
  const queue = new FairQueue<Item>({ total: 100, perCaller: 100, perTag: 10, bytes: null });
  for (let n = 0; n < 5_000; n += 1) queue.add(item('busy', n));
  const inFlight = Array.from({ length: 10 }, () => queue.take());
  expect(queue.take()).toBeNull();
  queue.add(item('single'));
  expect(queue.take()).toMatchObject({ tenant: 'single' });
  queue.release(inFlight[0] as Item);
  expect(queue.take()).toMatchObject({ tenant: 'busy', n: 10 });
});

test('counts what waits and what is in flight', () => {
  const queue = new FairQueue<Item>({ total: 2, perCaller: 2, perTag: 1, bytes: null });
  for (const tenant of ['a', 'a', 'b']) queue.add(item(tenant));
  const first = queue.take() as Item;
  expect([queue.waiting, queue.inFlight]).toEqual([2, 1]);
  queue.release(first);
  expect([queue.waiting, queue.inFlight]).toEqual([2, 0]);
});

test('turns go round', () => {
  const queue = new FairQueue<Item>({ total: 100, perCaller: 100, perTag: 100, bytes: null });
  for (const tenant of ['a', 'a', 'a', 'b', 'b', 'c']) queue.add(item(tenant));
  const order = Array.from({ length: 6 }, () => queue.take()?.tenant);
  expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

test('what was removed is not taken', () => {
  const queue = new FairQueue<Item>({ total: 1, perCaller: 1, perTag: 1, bytes: null });
  const gone = item('a');
  queue.add(gone);
  queue.remove(gone);
  expect(queue.take()).toBeNull();
});

test('with other limits more is taken at once, or nothing until enough was released', () => {
  const queue = new FairQueue<Item>({ total: 2, perCaller: 2, perTag: 1, bytes: null });
  for (const tenant of ['a', 'a', 'a', 'a', 'b', 'b', 'b']) queue.add(item(tenant));
  const takeAll = () => {
    const taken: Item[] = [];
    for (let next = queue.take(); next !== null; next = queue.take()) taken.push(next);
    return taken;
  };
  const first = takeAll();
  expect(first.map(({ tenant }) => tenant)).toEqual(['a', 'b']);
  queue.limit({ total: 4, perCaller: 4, perTag: 2, bytes: null });
  const second = takeAll();
  expect(second.map(({ tenant }) => tenant)).toEqual(['a', 'b']);
  queue.limit({ total: 2, perCaller: 2, perTag: 1, bytes: null });
  for (const one of first) queue.release(one);
  expect(takeAll()).toEqual([]);
  for (const one of second) queue.release(one);
  expect(takeAll().map(({ tenant }) => tenant)).toEqual(['a', 'b']);
});

test('no tenant and no total is ever exceeded, and everything is taken once', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      (names, total, perTag) => {
        const queue = new FairQueue<Item>({ total, perCaller: total, perTag, bytes: null });
        names.forEach((tenant, n) => {
          queue.add(item(tenant, n));
        });
        const taken: number[] = [];
        let inFlight: Item[] = [];
        while (taken.length < names.length) {
          for (let next = queue.take(); next !== null; next = queue.take()) {
            inFlight.push(next);
            taken.push(next.n);
          }
          expect(inFlight.length).toBeLessThanOrEqual(total);
          for (const tenant of ['a', 'b', 'c']) {
            expect(inFlight.filter((one) => one.tenant === tenant).length).toBeLessThanOrEqual(perTag);
          }
          for (const one of inFlight) queue.release(one);
          inFlight = [];
        }
        expect(taken.toSorted((a, b) => a - b)).toEqual(names.map((_, n) => n));
      },
    ),
  );
});

test('bytes in flight are bounded, and an item above the bound is taken alone', () => {
  const queue = new FairQueue<Item>({ total: 10, perCaller: 10, perTag: 10, bytes: 100 });
  for (const size of [60, 60, 500]) queue.add(item('a', size, size));
  const first = queue.take() as Item;
  expect(first.size).toBe(60);
  expect(queue.take()).toBeNull();
  queue.release(first);
  const second = queue.take() as Item;
  expect(queue.take()).toBeNull();
  queue.release(second);
  expect(queue.take()).toMatchObject({ size: 500 });
});

describe('callers', () => {
  const none = { perTag: 100, bytes: null };

  test('take turns, however many tags each of them has', () => {
    const queue = new FairQueue<Item>({ total: 100, perCaller: 100, ...none });
    for (let n = 0; n < 5; n += 1) queue.add(item(`tag ${n}`, n, 0, 'many'));
    queue.add(item('tag 0', 7, 0, 'one'));
    queue.add(item('tag 0', 8, 0, 'one'));
    const order = Array.from({ length: 4 }, () => queue.take()).map((one) => [one?.caller, one?.n]);
    expect(order).toEqual([
      ['many', 0],
      ['one', 7],
      ['many', 1],
      ['one', 8],
    ]);
  });

  test('leave a place to each other', () => {
    const queue = new FairQueue<Item>({ total: 4, perCaller: 3, ...none });
    for (let n = 0; n < 10; n += 1) queue.add(item(`tag ${n}`, n, 0, 'many'));
    const taken = Array.from({ length: 3 }, () => queue.take() as Item);
    expect(queue.take()).toBeNull();
    queue.add(item('tag 0', 0, 0, 'one'));
    expect(queue.take()).toMatchObject({ caller: 'one' });
    expect(queue.take()).toBeNull();
    queue.release(taken[0] as Item);
    expect(queue.take()).toMatchObject({ caller: 'many', n: 3 });
  });
});

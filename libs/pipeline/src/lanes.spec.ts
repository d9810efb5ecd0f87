import fc from 'fast-check';
import { Lanes } from './lanes.ts';

const item = (lane: string, n = 0) => ({ lane, n });

test('a single item of another lane does not wait behind thousands', () => {
  const lanes = new Lanes<{ lane: string; n: number }>({ total: 100, perLane: 10 });
  for (let n = 0; n < 5_000; n += 1) lanes.add(item('busy', n));
  const inFlight = Array.from({ length: 10 }, () => lanes.take());
  expect(lanes.take()).toBeNull();
  lanes.add(item('single'));
  expect(lanes.take()).toMatchObject({ lane: 'single' });
  lanes.release(inFlight[0] as { lane: string; n: number });
  expect(lanes.take()).toMatchObject({ lane: 'busy', n: 10 });
});

test('turns go round', () => {
  const lanes = new Lanes<{ lane: string; n: number }>({ total: 100, perLane: 100 });
  for (const lane of ['a', 'a', 'a', 'b', 'b', 'c']) lanes.add(item(lane));
  const order = Array.from({ length: 6 }, () => lanes.take()?.lane);
  expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

test('what was removed is not taken', () => {
  const lanes = new Lanes<{ lane: string; n: number }>({ total: 1, perLane: 1 });
  const gone = item('a');
  lanes.add(gone);
  lanes.remove(gone);
  expect(lanes.take()).toBeNull();
});

test('with other limits more is taken at once, or nothing until enough was released', () => {
  const lanes = new Lanes<{ lane: string; n: number }>({ total: 2, perLane: 1 });
  for (const lane of ['a', 'a', 'a', 'a', 'b', 'b', 'b']) lanes.add(item(lane));
  const takeAll = () => {
    const taken: { lane: string; n: number }[] = [];
    for (let next = lanes.take(); next !== null; next = lanes.take()) taken.push(next);
    return taken;
  };
  const first = takeAll();
  expect(first.map(({ lane }) => lane)).toEqual(['a', 'b']);
  lanes.limit({ total: 4, perLane: 2 });
  const second = takeAll();
  expect(second.map(({ lane }) => lane)).toEqual(['a', 'b']);
  lanes.limit({ total: 2, perLane: 1 });
  for (const one of first) lanes.release(one);
  expect(takeAll()).toEqual([]);
  for (const one of second) lanes.release(one);
  expect(takeAll().map(({ lane }) => lane)).toEqual(['a', 'b']);
});

test('no lane and no total is ever exceeded, and everything is taken once', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      (names, total, perLane) => {
        const lanes = new Lanes<{ lane: string; n: number }>({ total, perLane });
        names.forEach((lane, n) => {
          lanes.add(item(lane, n));
        });
        const taken: number[] = [];
        let inFlight: { lane: string; n: number }[] = [];
        while (taken.length < names.length) {
          for (let next = lanes.take(); next !== null; next = lanes.take()) {
            inFlight.push(next);
            taken.push(next.n);
          }
          expect(inFlight.length).toBeLessThanOrEqual(total);
          for (const lane of ['a', 'b', 'c']) {
            expect(inFlight.filter((one) => one.lane === lane).length).toBeLessThanOrEqual(perLane);
          }
          for (const one of inFlight) lanes.release(one);
          inFlight = [];
        }
        expect(taken.toSorted((a, b) => a - b)).toEqual(names.map((_, n) => n));
      },
    ),
  );
});

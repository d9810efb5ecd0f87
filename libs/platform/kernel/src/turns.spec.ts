import { jest } from '@jest/globals';
import { giveWay, giveWayToRequests } from './turns.ts';

let now = performance.now();
let passes: number;
beforeEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  passes = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => {
    now += passes;
    return now;
  });
});
afterEach(() => jest.restoreAllMocks());

/** Counts turns of the event loop until the work is done. */
async function turnsDuring(working: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  void working.then(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  return turns;
}

async function inSteps(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await giveWay();
}

test('long steps have a turn each, however much goes on at the same time', async () => {
  passes = 10;
  const turns = await turnsDuring(Promise.all(Array.from({ length: 10 }, () => inSteps(3))));
  expect(turns).toBeGreaterThanOrEqual(30);
});

test('short steps share a turn', async () => {
  const turns = await turnsDuring(Promise.all(Array.from({ length: 10 }, () => inSteps(3))));
  expect(turns).toBeLessThanOrEqual(2);
});

test('who asks first goes on first', async () => {
  passes = 10;
  const order: number[] = [];
  await Promise.all([1, 2, 3, 4].map((name) => giveWay().then(() => order.push(name))));
  expect(order).toEqual([1, 2, 3, 4]);
});

test('requests go on before other work', async () => {
  passes = 10;
  const order: string[] = [];
  const background = Array.from({ length: 3 }, () => giveWayToRequests().then(() => order.push('background')));
  const request = async () => {
    for (let i = 0; i < 3; i += 1) {
      await giveWay();
      order.push('request');
    }
  };
  await Promise.all([...background, request()]);
  expect(order).toEqual([...Array(3).fill('request'), ...Array(3).fill('background')]);
});

test('other work goes on while requests give way without end', async () => {
  passes = 10;
  let isDone = false;
  let steps = 0;
  const request = async () => {
    for (; !isDone && steps < 1_000; steps += 1) await giveWay();
  };
  const background = async () => {
    for (let i = 0; i < 3; i += 1) await giveWayToRequests();
    isDone = true;
  };
  await Promise.all([request(), request(), background()]);
  expect(isDone).toBe(true);
  expect(steps).toBeGreaterThanOrEqual(9);
  expect(steps).toBeLessThan(20);
});

import { Load } from './load.ts';

test('the pipeline yields to requests since it last asked, however often one of them has asked for room', () => {
  const load = new Load(2);
  expect(load.takeRequests()).toBe(false);
  expect([load.full(2), load.full(3), load.full()]).toEqual([false, true, false]);
  expect(load.takeRequests()).toBe(true);
  expect(load.takeRequests()).toBe(false);
});

import { setImmediate as turn } from 'node:timers/promises';
import { PolledBacklog } from './polled-backlog.ts';

test('full() counts at most once a second, and stays false while the views fail', async () => {
  let [now, unfinished, asked] = [0, 10, 0];
  const views = {
    countUnfinished: async () => {
      asked += 1;
      if (unfinished < 0) throw new Error('gone');
      return unfinished;
    },
  };
  const backlog = new PolledBacklog(views, 10, { now: () => now });
  const ask = async () => {
    const full = backlog.full();
    await turn();
    return full;
  };
  expect(await ask()).toBe(false);
  expect(await ask()).toBe(true);
  unfinished = 9;
  now = 999;
  expect(await ask()).toBe(true);
  expect(asked).toBe(1);
  now = 1_000;
  await ask();
  expect(await ask()).toBe(false);
  unfinished = -1;
  now = 2_000;
  await ask();
  expect(await ask()).toBe(false);
  expect(asked).toBe(3);
});

import { type Engine, EngineHealth } from './engine-health.ts';

test('tells which engines do not answer or take too long, and asks once a second', async () => {
  let now = 5_000;
  const asked: Engine[] = [];
  let away = true;
  const health = new EngineHealth(
    {
      log: async () => void asked.push('log'),
      bus: async () => {
        asked.push('bus');
        if (away) throw new Error('away');
      },
      views: () => {
        asked.push('views');
        return away ? new Promise(() => {}) : Promise.resolve();
      },
    },
    {
      clock: { now: () => now },
      streams: { missing: ['mneme-blobs'] },
      findLoss: async () => ({ at: 0, documents: 12 }),
      countFailingErasures: async () => 3,
      countLeftOutRows: async () => 2,
    },
  );
  const unreachable = async () => (await health.report()).unreachable;
  expect(await Promise.all([unreachable(), unreachable()])).toEqual([
    ['bus', 'views'],
    ['bus', 'views'],
  ]);
  expect(asked).toEqual(['log', 'bus', 'views']);

  away = false;
  expect(await unreachable()).toEqual(['bus', 'views']);
  now += 1_000;
  expect(await unreachable()).toEqual([]);
  expect(asked).toHaveLength(6);
  expect(await health.report()).toEqual({
    unreachable: [],
    missing: ['mneme-blobs'],
    contentLoss: { since: '1970-01-01T00:00:00.000Z', documents: 12 },
    failingErasures: 3,
    leftOutRows: 2,
  });
});

test('a process that has no engines outside of itself has none that could be away', async () => {
  expect(await new EngineHealth({}).report()).toEqual({
    unreachable: [],
    missing: [],
    contentLoss: null,
    failingErasures: 0,
    leftOutRows: 0,
  });
});

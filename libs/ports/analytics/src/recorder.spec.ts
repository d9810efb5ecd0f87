import { jest } from '@jest/globals';
import { DAY_MS, HOUR_MS, type Period } from './period.ts';
import type { AnalyticsStore, PeriodQuery, Retention } from './port.ts';
import { Recorder } from './recorder.ts';
import type { AnsweredRequest, LoggedRequest } from './request.ts';

const NOON = 20_000 * DAY_MS + 12 * HOUR_MS;

const REQUEST: AnsweredRequest = {
  ...{ organization: 'o1', keyId: 'k1', type: 'search', method: 'POST', route: '/v3/search' },
  ...{ status: 200, code: null, milliseconds: 10, bytesIn: 40, bytesOut: 400 },
};

/** A store in memory that can be away. */
class MemoryStore implements AnalyticsStore {
  readonly requestBytes = 100;
  readonly periodsById = new Map<string, Period>();
  readonly logged: LoggedRequest[] = [];
  readonly asked: PeriodQuery[][] = [];
  readonly retained: Retention[] = [];
  isAway = false;

  async write(requests: readonly LoggedRequest[], periods: readonly Period[]) {
    if (this.isAway) throw new Error('away');
    this.logged.push(...requests);
    for (const period of periods) this.periodsById.set(period.id, structuredClone(period));
  }
  async periods(_organization: string, queries: readonly PeriodQuery[]) {
    this.asked.push([...queries]);
    return [];
  }
  async requests() {
    return { requests: this.logged, total: this.logged.length };
  }
  async retain(retention: Retention) {
    this.retained.push(retention);
  }
  async forget() {}
  async close() {}

  counts(grain: Period['grain']) {
    const periods = [...this.periodsById.values()].filter((period) => period.grain === grain);
    return periods.map(({ at, types }) => [at, types.search?.['200']?.count]);
  }
}

let now: number;
let store: MemoryStore;
let lost: number;
beforeEach(() => {
  jest.useFakeTimers();
  now = NOON;
  store = new MemoryStore();
  lost = 0;
});
afterEach(() => {
  jest.useRealTimers();
});

const open = (maxBytes = 1_000_000) =>
  new Recorder(store, { maxBytes, onLost: (requests) => (lost += requests), clock: { now: () => now } });
const second = () => jest.advanceTimersByTimeAsync(1_000);

test('what is recorded is stored within a second, and counted by hour and day', async () => {
  const recorder = open();
  recorder.record(REQUEST);
  recorder.record(REQUEST);
  await second();
  expect(store.logged).toHaveLength(2);
  now += HOUR_MS;
  recorder.record(REQUEST);
  await second();
  expect(store.counts('hour')).toEqual([
    [NOON, 2],
    [NOON + HOUR_MS, 1],
  ]);
  expect(store.counts('day')).toEqual([[NOON - 12 * HOUR_MS, 3]]);
  await recorder.close();
});

test('tokens of calls of language models are added up by hour and day', async () => {
  const recorder = open();
  recorder.recordTokens('o1', { processed: 100, saved: 10, cached: 1 });
  recorder.recordTokens('o1', { processed: 200, saved: 0, cached: 5 });
  recorder.recordTokens('o2', { processed: 7, saved: 0, cached: 0 });
  await second();
  const tokens = [...store.periodsById.values()].map((period) => [period.organization, period.grain, period.tokens]);
  const sum = { processed: 300, saved: 10, cached: 6 };
  expect(tokens).toEqual([
    ...[
      ['o1', 'hour', sum],
      ['o1', 'day', sum],
    ],
    ...[
      ['o2', 'hour', { processed: 7, saved: 0, cached: 0 }],
      ['o2', 'day', { processed: 7, saved: 0, cached: 0 }],
    ],
  ]);
  await recorder.close();
});

test('during an outage requests are counted, and those that do not fit are named as lost', async () => {
  const recorder = open();
  store.isAway = true;
  for (let i = 0; i < 100_050; i += 1) recorder.record(REQUEST);
  await second();
  store.isAway = false;
  await second();
  expect(lost).toBe(50);
  expect(store.logged).toHaveLength(100_000);
  expect(store.counts('hour')).toEqual([[NOON, 100_050]]);
  await recorder.close();
});

test('the end stores what is recorded', async () => {
  const recorder = open();
  recorder.record(REQUEST);
  await recorder.close();
  expect(store.logged).toHaveLength(1);
});

test('without room nothing is recorded', async () => {
  const recorder = open(0);
  recorder.record(REQUEST);
  await recorder.close();
  expect(store.logged).toEqual([]);
  expect(store.periodsById.size).toBe(0);
});

test('what is forgotten is not stored later', async () => {
  const recorder = open();
  recorder.record(REQUEST);
  recorder.record({ ...REQUEST, organization: 'o2' });
  await recorder.forget('o1');
  await recorder.close();
  expect(store.logged.map(({ organization }) => organization)).toEqual(['o2']);
  expect([...store.periodsById.values()].every(({ organization }) => organization === 'o2')).toBe(true);
});

test('what is too old, or too much, is removed hourly and after a tenth of what may be kept', async () => {
  const recorder = open(100_000);
  recorder.record(REQUEST);
  await second();
  expect(store.retained).toEqual([{ since: NOON - 90 * DAY_MS, requests: 1_000 }]);
  recorder.record(REQUEST);
  await second();
  expect(store.retained).toHaveLength(1);
  for (let i = 0; i < 101; i += 1) recorder.record(REQUEST);
  await second();
  expect(store.retained).toHaveLength(2);
  now += HOUR_MS;
  recorder.record(REQUEST);
  await second();
  expect(store.retained).toHaveLength(3);
  await recorder.close();
});

test('a span is asked for by whole days, and by hours at its ends', async () => {
  const recorder = open();
  const midnight = 20_000 * DAY_MS;
  await recorder.periods('o1', { from: midnight - 3 * HOUR_MS, to: midnight + 2 * DAY_MS + HOUR_MS });
  await recorder.periods('o1', { from: midnight + HOUR_MS, to: midnight + 4 * HOUR_MS });
  expect(store.asked).toEqual([
    [
      { grain: 'hour', from: midnight - 3 * HOUR_MS, to: midnight },
      { grain: 'day', from: midnight, to: midnight + 2 * DAY_MS },
      { grain: 'hour', from: midnight + 2 * DAY_MS, to: midnight + 2 * DAY_MS + HOUR_MS },
    ],
    [{ grain: 'hour', from: midnight + HOUR_MS, to: midnight + 4 * HOUR_MS }],
  ]);
  await recorder.close();
});

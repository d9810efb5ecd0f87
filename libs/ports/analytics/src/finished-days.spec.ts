import { FinishedDays } from './finished-days.ts';
import { DAY_MS, HOUR_MS, type Period } from './period.ts';
import type { PeriodQuery } from './port.ts';

const MIDNIGHT = 20_000 * DAY_MS;
const MINUTE_MS = 60_000;
const LAST_WEEK = { grain: 'day', from: MIDNIGHT - 7 * DAY_MS, to: MIDNIGHT } as const;

let asked: PeriodQuery[];
/** How often something was answered in each period of the store. */
let count: number;
let days: FinishedDays;

beforeEach(() => {
  asked = [];
  count = 1;
  days = new FinishedDays({
    async periods(organization: string, queries: readonly PeriodQuery[]) {
      asked.push(...queries);
      return queries.flatMap(({ grain, from, to }) =>
        Array.from({ length: (to - from) / DAY_MS }, (_, i): Period => {
          const at = from + i * DAY_MS;
          const figures = { count, milliseconds: 1, last: at, durations: [1] };
          const id = `${organization} ${grain} ${at}`;
          return { id, organization, grain, at, types: { search: { 200: figures } }, keys: {}, hours: {} };
        }),
      );
    },
  });
});

const total = (periods: readonly Period[]) =>
  periods.reduce((sum, { types }) => sum + (types.search?.[200]?.count ?? 0), 0);

test('days that are over are read once', async () => {
  const first = await days.periods('o1', [LAST_WEEK], MIDNIGHT + 2 * HOUR_MS);
  expect(await days.periods('o1', [LAST_WEEK], MIDNIGHT + 2 * HOUR_MS)).toEqual(first);
  expect(first.map(({ at }) => at)).toEqual(Array.from({ length: 7 }, (_, i) => LAST_WEEK.from + i * DAY_MS));
  expect(asked).toEqual([LAST_WEEK]);
});

test('a longer span is read from the first day that is not kept, and each day counts once', async () => {
  await days.periods('o1', [LAST_WEEK], MIDNIGHT + 2 * HOUR_MS);
  const longer = { ...LAST_WEEK, to: MIDNIGHT + DAY_MS };
  expect(total(await days.periods('o1', [longer], MIDNIGHT + 2 * DAY_MS))).toBe(8);
  const earlier = { ...LAST_WEEK, from: LAST_WEEK.from - DAY_MS };
  expect(total(await days.periods('o1', [earlier], MIDNIGHT + 2 * DAY_MS))).toBe(8);
});

test('hours, and a day that may still change, are read each time', async () => {
  const hours = { grain: 'hour', from: MIDNIGHT, to: MIDNIGHT + DAY_MS } as const;
  for (let i = 0; i < 2; i += 1) await days.periods('o1', [LAST_WEEK, hours], MIDNIGHT + HOUR_MS / 2);
  expect(asked).toEqual([LAST_WEEK, hours, { ...LAST_WEEK, from: MIDNIGHT - DAY_MS }, hours]);
});

test('what another process adds to a day that is over appears within ten minutes', async () => {
  const now = MIDNIGHT + 2 * HOUR_MS;
  await days.periods('o1', [LAST_WEEK], now);
  await days.periods('o1', [{ ...LAST_WEEK, from: LAST_WEEK.from - DAY_MS }], now + 9 * MINUTE_MS);
  count = 2;
  expect(total(await days.periods('o1', [LAST_WEEK], now + 20 * MINUTE_MS))).toBe(14);
});

test('what is erased is not kept', async () => {
  const now = MIDNIGHT + 2 * HOUR_MS;
  for (const organization of ['o1', 'o2']) await days.periods(organization, [LAST_WEEK], now);
  days.forget('o1');
  count = 0;
  expect(total(await days.periods('o1', [LAST_WEEK], now))).toBe(0);
  expect(total(await days.periods('o2', [LAST_WEEK], now))).toBe(7);
});

test('memory is bounded: of many days those read first leave', async () => {
  const now = MIDNIGHT + 2 * HOUR_MS;
  const ninety = { ...LAST_WEEK, from: MIDNIGHT - 90 * DAY_MS };
  for (const organization of ['o1', 'o2', 'o3', 'o3', 'o1']) await days.periods(organization, [ninety], now);
  expect(asked).toEqual([ninety, ninety, ninety, ninety]);
});

import type { Period } from '#ports/analytics';
import { summarizeErrors } from './summarize-errors.ts';

const HOUR = 3_600_000;
const figures = (count: number, last: number) => ({ count, last, milliseconds: count, durations: [count] });

const period = (at: number, fields: Pick<Period, 'types' | 'hours'>): Period => ({
  ...{ id: `p${at}`, organization: 'o', grain: 'hour', at, keys: {} },
  ...fields,
});

test('counts what was answered with 400 or more, by type, status and hour', () => {
  const periods = [
    period(HOUR, {
      types: { add: { 200: figures(6, HOUR), 400: figures(1, HOUR + 5) }, search: { 503: figures(1, HOUR + 9) } },
      hours: { [HOUR]: { ...figures(8, HOUR), errors: { search: 1, add: 1 } } },
    }),
    period(3 * HOUR, {
      types: { add: { 200: figures(1, 3 * HOUR), 413: figures(1, 3 * HOUR + 1) } },
      hours: { [2 * HOUR]: { ...figures(1, 0), errors: {} }, [3 * HOUR]: { ...figures(1, 0), errors: { add: 1 } } },
    }),
  ];
  expect(summarizeErrors(periods)).toEqual({
    ...{ requests: 10, errors: 3, byStatus: { 400: 1, 413: 1, 503: 1 } },
    types: [
      { type: 'add', count: 2, statuses: [400, 413], last: 3 * HOUR + 1 },
      { type: 'search', count: 1, statuses: [503], last: HOUR + 9 },
    ],
    hours: [
      { at: HOUR, count: 2, types: ['add', 'search'] },
      { at: 3 * HOUR, count: 1, types: ['add'] },
    ],
  });
});

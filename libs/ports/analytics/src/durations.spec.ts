import { addDuration, addDurations, type Durations, percentileOf } from './durations.ts';

const counted = (durations: readonly number[]) => {
  const counts: Durations = [];
  for (const duration of durations) addDuration(counts, duration);
  return counts;
};

test('a percentile is at most 5 % off, from a tenth of a millisecond to ten minutes', () => {
  for (const unit of [0.11, 0.7, 3, 48, 900, 590]) {
    const durations = Array.from({ length: 1_000 }, (_, i) => unit * (1 + i));
    for (const share of [0.01, 0.5, 0.95, 0.99]) {
      const exact = durations[Math.ceil(share * 1_000) - 1] as number;
      const found = percentileOf(counted(durations), share) as number;
      expect(Math.abs(found - exact) / exact).toBeLessThanOrEqual(0.05);
    }
  }
});

test('what is shorter counts as a tenth of a millisecond', () => {
  expect(percentileOf(counted([0, 0.001]), 0.5)).toBeCloseTo(0.1, 1);
});

test('nothing has no percentile, and one duration is each of them', () => {
  expect(percentileOf([], 0.5)).toBeNull();
  expect(percentileOf(counted([20]), 0.01)).toBe(percentileOf(counted([20]), 0.99));
});

test('counts are added', () => {
  const short = counted([1, 2]);
  const both = counted([1, 2]);
  const long = counted([1, 900]);
  addDurations(both, long);
  expect(both).toEqual(counted([1, 2, 1, 900]));
  addDurations(long, short);
  expect(long).toEqual(both);
});

import type { Position } from '#ports/event-store';
import { ReportedProgress } from './reported.ts';

const at = (position: number) => String(position) as Position;
const LONG = { organization: 'o', id: 'long' };
const OTHER = { organization: 'o', id: 'other' };

let progress: ReportedProgress;
beforeEach(() => {
  progress = new ReportedProgress((a, b) => Number(a) - Number(b), at(1));
  progress.reportLate('o', 'long', true);
  progress.report(at(2));
});
afterEach(() => progress.close());

test('units that are late are waited for only by those who name their document, or all', async () => {
  expect(await progress.reached(at(2), 10_000)).toBe(true);
  expect(await progress.reached(at(2), 10_000, OTHER)).toBe(true);
  expect(await progress.reached(at(2), 1, LONG)).toBe(false);
  expect(await progress.reached(at(2), 0, 'all')).toBe(false);
  const waits = [progress.reached(at(2), 10_000, LONG), progress.reached(at(3), 10_000, 'all')];
  progress.reportLate('o', 'long', false);
  progress.report(at(3));
  expect(await Promise.all(waits)).toEqual([true, true]);
});

test('where another projection begins, nothing is late until it says so', async () => {
  const waiting = progress.reached(at(2), 10_000, LONG);
  progress.begin(at(1));
  progress.reportLate('o', 'long', true);
  progress.report(at(2));
  expect(await progress.reached(at(2), 1, LONG)).toBe(false);
  progress.reportLate('o', 'long', false);
  expect(await waiting).toBe(true);
});

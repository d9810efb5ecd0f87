import { spanOf } from './analytics.input.ts';

const NOW = Date.parse('2026-03-10T12:30:00Z');
const iso = ({ from, to }: { readonly from: number; readonly to: number }) =>
  [from, to].map((time) => new Date(time).toISOString().slice(0, 16));

test.each([
  ['the last day by default', {}, ['2026-03-09T12:00', '2026-03-10T13:00']],
  ['a period before now', { period: '1h' as const }, ['2026-03-10T11:00', '2026-03-10T13:00']],
  ['a period before a time', { period: '7d' as const, to: '2026-02-10' }, ['2026-02-03T00:00', '2026-02-10T00:00']],
  ['from a time until now', { from: '2026-03-10T01:10:00Z' }, ['2026-03-10T01:00', '2026-03-10T13:00']],
  ['90 days', { from: '2026-01-01', to: '2026-04-01' }, ['2026-01-01T00:00', '2026-04-01T00:00']],
])('%s', (_, input, expected) => {
  expect(iso(spanOf(input, NOW))).toEqual(expected);
});

test.each([
  ['period', { from: '2026-03-01', period: '1h' as const }],
  ['from', { from: '2026-03-11', to: '2026-03-10' }],
  ['from', { from: '2026-04-01' }],
  ['from', { from: '2025-01-01' }],
])('refuses %s of %j', (field, input) => {
  expect(() => spanOf(input, NOW)).toThrow(expect.objectContaining({ details: field }));
});

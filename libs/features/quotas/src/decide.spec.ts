import { decideChange, foldQuotas, NO_QUOTAS } from './decide.ts';
import type { QuotaChanges, Quotas, QuotasChanged } from './events.ts';
import { endOf, periodAt } from './periods.ts';

const given = (...changes: readonly QuotaChanges[]): Quotas =>
  changes.reduce<Quotas>((quotas, payload) => {
    const [event] = decideChange(quotas, payload);
    return event === undefined ? quotas : evolved(quotas, event);
  }, NO_QUOTAS);

function evolved(quotas: Quotas, { type, payload }: QuotasChanged): Quotas {
  const envelope = { id: 'e1', type, schemaVersion: 1, at: '2026-11-28T10:00:00.000Z', organization: 'acme', tags: [] };
  const causes = { actor: 'system', correlationId: 'c', causationId: null };
  type Event = Parameters<typeof foldQuotas>[1];
  return foldQuotas(quotas, {
    stream: 'quotas-acme',
    revision: 0,
    envelope: { ...envelope, ...causes },
    payload,
  } as unknown as Event);
}

test('given no quotas, when some are set, then they hold', () => {
  expect(given({ documents: 10, addsPerDay: 5 })).toEqual({ documents: 10, addsPerDay: 5 });
});

test('given quotas, when one is set, then the others stay', () => {
  expect(given({ documents: 10, addsPerDay: 5 }, { addsPerDay: 6, storedBytes: 0 })).toEqual({
    ...{ documents: 10, addsPerDay: 6, storedBytes: 0 },
  });
});

test('given quotas, when one is taken away, then it is without limit', () => {
  expect(given({ documents: 10, addsPerDay: 5 }, { documents: null })).toEqual({ addsPerDay: 5 });
});

test('given quotas, when the same are set again, then nothing happens', () => {
  expect(decideChange({ documents: 10 }, { documents: 10, addsPerDay: null })).toEqual([]);
});

test.each([
  ['day', '2026-02-28T23:59:59.999Z', '2026-02-28', '2026-03-01T00:00:00.000Z'],
  ['month', '2026-02-28T23:59:59.999Z', '2026-02', '2026-03-01T00:00:00.000Z'],
  ['month', '2026-12-01T00:00:00.000Z', '2026-12', '2027-01-01T00:00:00.000Z'],
] as const)('a %s of %s is %s and ends at %s', (period, now, name, end) => {
  expect(periodAt(period, Date.parse(now))).toBe(name);
  expect(new Date(endOf(period, Date.parse(now))).toISOString()).toBe(end);
});

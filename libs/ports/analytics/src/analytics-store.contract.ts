import { newId } from '#platform/kernel';
import { eventually } from '../../../platform/kernel/src/testing/eventually.ts';
import { DAY_MS, HOUR_MS, type Period } from './period.ts';
import type { AnalyticsStore, RequestFilter } from './port.ts';
import type { LoggedRequest } from './request.ts';

const NOW = 20_000 * DAY_MS;

const requestAt = (organization: string, at: number, fields: Partial<LoggedRequest> = {}): LoggedRequest => ({
  ...{ organization, at, id: newId(), keyId: 'k1', type: 'add', method: 'POST', route: '/v3/documents', status: 200 },
  ...{ code: null, milliseconds: 12.5, bytesIn: 120, bytesOut: null },
  ...fields,
});

const periodAt = (organization: string, grain: Period['grain'], at: number, count = 1): Period => {
  const figures = { count, milliseconds: 12.5, last: at, durations: [0, 0, count] };
  return {
    ...{ id: newId(), organization, grain, at },
    ...{ types: { add: { '200': figures } }, keys: { k1: figures }, hours: { [at]: { ...figures, errors: {} } } },
  };
};

/** Contract of where figures of requests are stored. @param opened the store; it is empty for new organizations */
export function analyticsStoreContract(opened: () => AnalyticsStore): void {
  let organization: string;
  beforeEach(() => {
    organization = newId();
  });

  const span = { from: NOW, to: NOW + DAY_MS };
  const listed = (filter: Partial<RequestFilter> = {}, offset = 0, limit = 10, of = organization) =>
    opened().requests(of, { ...span, ...filter }, { offset, limit });
  const held = (of = organization) => opened().periods(of, [{ grain: 'hour', ...span }]);
  /** What is written may be found a moment later. */
  const listedInAll = (total: number) =>
    eventually(async () => {
      const found = await listed();
      return found.total === total ? found : null;
    });

  it('lists requests as they were written, the newest first, with their total', async () => {
    const requests = [5, 1, 3].map((minute) => requestAt(organization, NOW + minute * 60_000));
    await opened().write(requests, []);
    const [fifth, first, third] = requests;
    expect(await listedInAll(3)).toEqual({ requests: [fifth, third, first], total: 3 });
  });

  it('lists pages over many hours, and nothing behind the last one', async () => {
    const requests = Array.from({ length: 25 }, (_, i) => requestAt(organization, NOW + i * 1_800_000));
    await opened().write(requests, []);
    await listedInAll(25);
    const newest = requests.toReversed();
    for (const offset of [0, 7, 20]) {
      expect(await listed({}, offset, 7)).toEqual({ requests: newest.slice(offset, offset + 7), total: 25 });
    }
    expect(await listed({}, 30)).toEqual({ requests: [], total: 25 });
  });

  it('lists by type, status, key and time', async () => {
    const odd: Partial<LoggedRequest> = { type: 'search', status: 400, keyId: 'k2', code: 'invalid_request' };
    const requests = Array.from({ length: 10 }, (_, i) =>
      requestAt(organization, NOW + i * HOUR_MS, i % 2 === 1 ? odd : {}),
    );
    await opened().write(requests, []);
    await listedInAll(10);
    const wanted = requests.filter((_, i) => i % 2 === 1).toReversed();
    for (const filter of [{ type: 'search' }, { status: 400 }, { keyId: 'k2' }] as const) {
      expect(await listed(filter, 1, 2)).toEqual({ requests: wanted.slice(1, 3), total: 5 });
    }
    expect((await listed({ type: 'search', status: 200 })).total).toBe(0);
    expect((await listed({ from: NOW + 2 * HOUR_MS, to: NOW + 5 * HOUR_MS })).requests).toEqual(
      requests.slice(2, 5).toReversed(),
    );
  });

  it('returns the periods of the wanted lengths and spans', async () => {
    const hours = [0, 1, 2].map((hour) => periodAt(organization, 'hour', NOW + hour * HOUR_MS));
    const day = periodAt(organization, 'day', NOW);
    await opened().write([], [...hours, day]);
    await eventually(async () => (await held()).length === 3 || null);
    const found = await opened().periods(organization, [
      { grain: 'hour', from: NOW + HOUR_MS, to: NOW + 2 * HOUR_MS },
      { grain: 'day', ...span },
    ]);
    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining([hours[1], day]));
  });

  it('replaces a period that is written again, and keeps those of other processes', async () => {
    const mine = periodAt(organization, 'hour', NOW);
    const other = periodAt(organization, 'hour', NOW, 7);
    await opened().write([], [mine, other]);
    const later = { ...periodAt(organization, 'hour', NOW, 5), id: mine.id };
    await opened().write([], [later]);
    const found = await eventually(async () => {
      const periods = await held();
      return periods.length === 2 && periods.some(({ keys }) => keys.k1?.count === 5) ? periods : null;
    });
    expect(found).toEqual(expect.arrayContaining([later, other]));
  });

  it('shows nothing of another organization, and forgets one without the other', async () => {
    const other = newId();
    for (const one of [organization, other]) {
      await opened().write([requestAt(one, NOW)], [periodAt(one, 'hour', NOW)]);
    }
    await listedInAll(1);
    await eventually(async () => (await listed({}, 0, 10, other)).total === 1 || null);
    expect((await listed()).requests.map((request) => request.organization)).toEqual([organization]);
    await opened().forget(organization);
    expect(await listed()).toEqual({ requests: [], total: 0 });
    expect(await held()).toEqual([]);
    expect((await listed({}, 0, 10, other)).total).toBe(1);
    expect(await held(other)).toHaveLength(1);
  });

  it('removes what is older than the retention', async () => {
    const requests = [0, 1, 2, 3].map((hour) => requestAt(organization, NOW + hour * HOUR_MS));
    await opened().write(
      requests,
      [0, 3].map((hour) => periodAt(organization, 'hour', NOW + hour * HOUR_MS)),
    );
    await listedInAll(4);
    await opened().retain({ since: NOW + 2 * HOUR_MS, requests: 1_000_000 });
    expect(await listed()).toEqual({ requests: requests.slice(2).toReversed(), total: 2 });
    expect(await held()).toHaveLength(1);
  });
}

/** The same of a store that is empty at its beginning. */
export function retainedNumberContract(opened: () => AnalyticsStore): void {
  it('keeps about as many of the newest requests as are permitted', async () => {
    const organization = newId();
    const span = { from: NOW, to: NOW + DAY_MS };
    const requests = Array.from({ length: 1_000 }, (_, i) => requestAt(organization, NOW + i * 60_000));
    await opened().write(requests, []);
    const newest = () => opened().requests(organization, span, { offset: 0, limit: 1 });
    await eventually(async () => (await newest()).total === 1_000 || null);
    await opened().retain({ since: NOW, requests: 400 });
    const { requests: first, total } = await newest();
    expect(total).toBeGreaterThan(380);
    expect(total).toBeLessThan(420);
    expect(first).toEqual(requests.slice(-1));
  });
}

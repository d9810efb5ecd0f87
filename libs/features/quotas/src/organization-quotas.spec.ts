import type { OrganizationId } from '#platform/kernel';
import type { QuotaCount, QuotaCounts } from '#ports/quota-counts';
import { until } from '../../../platform/kernel/src/testing/eventually.ts';
import type { Quotas } from './events.ts';
import { KnownQuotas } from './known-quotas.ts';
import { OrganizationQuotas } from './organization-quotas.ts';
import { TokenCount } from './token-count.ts';

const ACME = 'acme' as OrganizationId;
const OTHER = 'other' as OrganizationId;
const EVENING = Date.parse('2026-11-30T23:59:30.000Z');
const HOUR_MS = 3_600_000;

/** What processes share: their counts, and the documents that are stored. */
class Installation {
  now = EVENING;
  documents = 0;
  storedBytes = 0;
  isAway = false;
  requests = 0;
  readonly #records = new Map<string, QuotaCount>();
  readonly #opened: OrganizationQuotas[] = [];
  readonly clock = { now: () => this.now };

  records(isShared = true): QuotaCounts {
    const answered = async <T>(answer: () => T): Promise<T> => {
      this.requests += 1;
      if (this.isAway) throw new Error('away');
      return answer();
    };
    return {
      isShared,
      read: (key) => answered(() => this.#records.get(key) ?? null),
      write: (key, value, after) =>
        answered(() => {
          if ((this.#records.get(key)?.revision ?? 0) !== after) return null;
          this.#records.set(key, { value, revision: after + 1 });
          return after + 1;
        }),
    };
  }

  process(quotas: Quotas, isShared = true): OrganizationQuotas {
    const known = new KnownQuotas();
    known.set(ACME, quotas, 0);
    const opened = new OrganizationQuotas({
      ...{ known, records: this.records(isShared), clock: this.clock, onOutage: () => {} },
      stored: async () => ({ documents: this.documents, storedBytes: this.storedBytes }),
    });
    this.#opened.push(opened);
    return opened;
  }

  /** Adds documents by several requests at once. @returns how many were admitted */
  async add(process: OrganizationQuotas, requests: number, count = 1): Promise<number> {
    const outcomes = await Promise.allSettled(
      Array.from({ length: requests }, async () => {
        const taken = await process.take(ACME, { kind: 'documents', count });
        await Promise.resolve();
        this.documents += count;
        taken.end(count);
      }),
    );
    return count * outcomes.filter(({ status }) => status === 'fulfilled').length;
  }

  async close(): Promise<void> {
    this.isAway = false;
    await Promise.all(this.#opened.map((one) => one.close()));
  }
}

let installation: Installation;
beforeEach(() => {
  installation = new Installation();
});
afterEach(() => installation.close());

const refused = (quota: string, retryAfter: number) =>
  expect.objectContaining({ code: 'quota_exceeded', details: expect.objectContaining({ quota, retryAfter }) });

test('an organization without quotas is not limited, and nothing is counted', async () => {
  const process = installation.process({ documents: 1 });
  expect(process.areSet(OTHER)).toBe(false);
  expect(await process.usage(OTHER)).toBeNull();
  expect(installation.requests).toBe(0);
});

test.each([
  [true, 'documents', 3_600],
  [false, 'documents', 3_600],
  [true, 'addsPerDay', 30],
  [false, 'addsPerDay', 30],
] as const)('shared: %s, exactly as many %s as the quota permits are added', async (isShared, quota, retryAfter) => {
  const process = installation.process({ [quota]: 250 }, isShared);
  expect(await installation.add(process, 400)).toBe(250);
  await expect(process.take(ACME, { kind: 'documents', count: 1 })).rejects.toEqual(refused(quota, retryAfter));
});

test.each(['documents', 'addsPerDay'] as const)('two processes together do not exceed %s', async (quota) => {
  const limit = 2_000;
  const [one, other] = [installation.process({ [quota]: limit }), installation.process({ [quota]: limit })];
  const added = await Promise.all([one, other].map((process) => installation.add(process, 1_500)));
  const sum = added.reduce((all, some) => all + some, 0);
  expect(sum).toBeLessThanOrEqual(limit);
  expect(sum).toBeGreaterThan(limit * 0.97);
  // Far fewer requests than adds.
  expect(installation.requests).toBeLessThan(limit / 2);
});

test('a request for several is admitted as a whole or not at all', async () => {
  const process = installation.process({ documents: 10, addsPerDay: 20 });
  expect(await installation.add(process, 1, 11)).toBe(0);
  expect(await installation.add(process, 1, 10)).toBe(10);
});

test('what was not added is given back', async () => {
  const process = installation.process({ documents: 3, addsPerDay: 3 });
  const taken = await process.take(ACME, { kind: 'documents', count: 3 });
  taken.end(1);
  installation.documents = 1;
  expect(await installation.add(process, 5)).toBe(2);
});

test('a full organization goes on with what is there already', async () => {
  const process = installation.process({ documents: 1, addsPerDay: 1 });
  expect(await installation.add(process, 1)).toBe(1);
  const known = { kind: 'documents', count: 1, newOnes: async () => 0 } as const;
  (await process.take(ACME, known)).end(0);
  await expect(process.take(ACME, { ...known, newOnes: async () => 1 })).rejects.toEqual(refused('documents', 3_600));
});

test('memories count as adds and not as documents', async () => {
  const process = installation.process({ documents: 0, addsPerDay: 2 });
  (await process.take(ACME, { kind: 'memories', count: 2 })).end(2);
  await expect(process.take(ACME, { kind: 'memories', count: 1 })).rejects.toEqual(refused('addsPerDay', 30));
});

test('deleting makes room for documents, also in another process', async () => {
  const [one, other] = [installation.process({ documents: 4 }), installation.process({ documents: 4 })];
  expect(await installation.add(one, 6)).toBe(4);
  installation.documents -= 2;
  let added = 0;
  await until(
    async () => (added += await installation.add(other, 1)),
    (sum) => sum === 2,
  );
  expect(await installation.add(one, 2)).toBe(0);
});

test('the adds of a day survive a restart and begin again with the next day', async () => {
  const before = installation.process({ addsPerDay: 5 });
  expect(await installation.add(before, 4)).toBe(4);
  await before.close();
  const after = installation.process({ addsPerDay: 5 });
  expect((await after.usage(ACME))?.addsPerDay).toEqual({ limit: 5, used: 4, resetsAt: EVENING + 30_000 });
  expect(await installation.add(after, 4)).toBe(1);
  installation.now += 30_000;
  expect(await installation.add(after, 9)).toBe(5);
  expect((await after.usage(ACME))?.addsPerDay).toMatchObject({ used: 5 });
});

test('what a process has taken in advance and does not use, another one gets', async () => {
  const [one, other] = [installation.process({ addsPerDay: 1_000 }), installation.process({ addsPerDay: 1_000 })];
  expect(await installation.add(one, 1)).toBe(1);
  const used = async () => (await other.usage(ACME))?.addsPerDay?.used;
  await until(used, (count) => count === 1);
  expect(await installation.add(other, 999)).toBe(999);
});

test('tokens and bytes are charged when they are known, and then adds are refused', async () => {
  const process = installation.process({ storedBytes: 100, tokensPerMonth: 50 });
  expect(await installation.add(process, 1)).toBe(1);
  const tokens = new TokenCount(installation.records(), installation.clock);
  tokens.add(ACME, 60);
  tokens.add(OTHER, 1_000);
  await tokens.close();
  const refusal = async () =>
    process.check(ACME).then(
      () => null,
      (error: unknown) => error,
    );
  expect(await until(refusal, (error) => error !== null)).toEqual(refused('tokensPerMonth', 30));
  expect(await process.usage(ACME)).toMatchObject({ tokensPerMonth: { used: 60 }, storedBytes: { used: 0 } });
  installation.now += HOUR_MS;
  await until(refusal, (error) => error === null);
  installation.storedBytes = 100;
  expect(await until(refusal, (error) => error !== null)).toEqual(refused('storedBytes', 3_600));
});

test('while the counts cannot be reached, each process applies the rest by itself, and counts it later', async () => {
  const process = installation.process({ addsPerDay: 10, documents: 100 });
  expect(await installation.add(process, 4)).toBe(4);
  installation.isAway = true;
  expect(await installation.add(process, 9)).toBe(6);
  installation.isAway = false;
  const other = installation.process({ addsPerDay: 10 });
  await until(
    async () => (await other.usage(ACME))?.addsPerDay?.used,
    (used) => used === 10,
  );
});

test('a process that has ended holds nothing for long', async () => {
  const [ended, other] = [installation.process({ documents: 5 }), installation.process({ documents: 5 })];
  await ended.take(ACME, { kind: 'documents', count: 5 });
  expect(await installation.add(other, 1)).toBe(0);
  installation.now += HOUR_MS;
  await until(
    () => installation.add(other, 1),
    (added) => added === 1,
  );
});

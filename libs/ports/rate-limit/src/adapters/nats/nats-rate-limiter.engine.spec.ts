import { openRecordStream, type RecordStream } from '#platform/nats';
import { until } from '../../../../../platform/kernel/src/testing/eventually.ts';
import { natsSuite } from '../../../../../platform/nats/src/testing/nats-suite.ts';
import { MemoryRateLimiter, openNatsRateLimiter } from '../../index.ts';
import type { RateLimit } from '../../port.ts';
import { rateLimiterContract } from '../../rate-limiter.contract.ts';
import { NatsRateLimiter } from './nats-rate-limiter.ts';

describe('NatsRateLimiter', () => {
  const nats = natsSuite();
  let outages: unknown[];
  beforeEach(() => {
    outages = [];
  });

  const openShared = () => openNatsRateLimiter({ ...nats.options, onOutage: (error) => outages.push(error) });

  rateLimiterContract(openShared);

  /** A process that counts requests by one limit. */
  async function open(limit: RateLimit) {
    const limiter = await openShared();
    return { consume: (key: string) => limiter.consume(key, limit) };
  }

  /** Consumes from all limiters until each has rejected. @returns how many requests were allowed */
  async function exhaust(limiters: readonly Awaited<ReturnType<typeof open>>[]): Promise<number> {
    let allowed = 0;
    for (let left = [...limiters]; left.length > 0; ) {
      const decisions = await Promise.all(left.map((limiter) => limiter.consume('key')));
      allowed += decisions.filter(({ isAllowed }) => isAllowed).length;
      left = left.filter((_, i) => decisions[i]?.isAllowed);
    }
    return allowed;
  }

  it.each([1, 7, 500])('allows %i requests to two processes in total', async (requests) => {
    const limiters = [await open({ requests, seconds: 3_600 }), await open({ requests, seconds: 3_600 })];
    expect(await exhaust(limiters)).toBe(requests);
    expect(await (await open({ requests, seconds: 3_600 })).consume('key')).toMatchObject({ isAllowed: false });
  });

  it('allows the limit again in each window', async () => {
    const limiters = [await open({ requests: 40, seconds: 1 }), await open({ requests: 40, seconds: 1 })];
    const begin = performance.now();
    let allowed = 0;
    let windows = 0;
    await until(async () => {
      const now = await exhaust(limiters);
      if (now > 0) windows++;
      allowed += now;
      return windows === 3;
    });
    // Windows follow each other: besides the whole ones of the time that has passed, two can be cut off.
    const passed = (performance.now() - begin) / 1_000;
    expect(allowed).toBeLessThanOrEqual((Math.floor(passed) + 2) * 40);
  });

  it('allows a key again after a window of another process has ended', async () => {
    const limit = { requests: 3, seconds: 1 };
    await exhaust([await open(limit)]);
    const other = await open(limit);
    expect(await other.consume('key')).toMatchObject({ isAllowed: false });
    await until(async () => (await other.consume('key')).isAllowed);
  });

  it('sends a request to NATS for about a tenth of the requests', async () => {
    const limit = { requests: 500, seconds: 3_600 };
    const records = await openRecordStream({
      connection: nats.connection,
      name: nats.bucket,
      history: 1,
      maxAgeMs: 3_600_000,
    });
    let requests = 0;
    const counted = new Proxy(records, {
      get: (target, name: keyof RecordStream) => {
        if (name === 'name') return target.name;
        requests++;
        return (target[name] as (...args: unknown[]) => unknown).bind(target);
      },
    });
    const limiter = new NatsRateLimiter(counted, new MemoryRateLimiter(), () => undefined);
    for (let i = 0; i < 400; i++) await limiter.consume('key', limit);
    expect(requests).toBeLessThan(45);
  });

  it('counts per process during an outage of NATS, and shares the limit again afterwards', async () => {
    const limit = { requests: 30, seconds: 3_600 };
    const [one, two] = [await open(limit), await open(limit)];
    await one.consume('key');
    await nats.server.kill();
    const alone = await exhaust([one]);
    expect(alone).toBeGreaterThanOrEqual(30);
    expect(alone).toBeLessThanOrEqual(30 + 3);
    expect(outages).toHaveLength(1);
    await nats.server.restart();
    let decision = await two.consume('key');
    await until(
      () => one.consume('other'),
      ({ remaining }) => remaining === 29,
    );
    decision = await until(
      () => two.consume('key'),
      ({ remaining }) => remaining <= 30 - 4,
    );
    expect(decision).toMatchObject({ isAllowed: true });
  });
});

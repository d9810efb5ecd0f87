import { setTimeout as pause } from 'node:timers/promises';
import { openRecordStream, type RecordStream } from '#nats';
import { natsSuite } from '../../../../nats/src/testing/nats-suite.ts';
import { MemoryRateLimiter, openNatsRateLimiter } from '../../index.ts';
import type { RateLimit, RateLimiter } from '../../port.ts';
import { rateLimiterContract } from '../../rate-limiter.contract.ts';
import { NatsRateLimiter } from './nats-rate-limiter.ts';

describe('NatsRateLimiter', () => {
  const nats = natsSuite();
  let outages: unknown[];
  beforeEach(() => {
    outages = [];
  });

  const open = (limit: RateLimit) =>
    openNatsRateLimiter({ ...nats.options, limit, onOutage: (error) => outages.push(error) });

  rateLimiterContract(open);

  /** Consumes from all limiters until each has rejected. @returns how many requests were allowed */
  async function exhaust(limiters: readonly RateLimiter[]): Promise<number> {
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
    while (performance.now() - begin < 3_500) {
      const now = await exhaust(limiters);
      if (now > 0) windows++;
      allowed += now;
      await pause(10);
    }
    // The first window begins with the first request.
    expect(windows).toBeGreaterThan(2);
    expect(allowed).toBeLessThanOrEqual(4 * 40);
  });

  it('allows a key again soon after a window of another process has ended', async () => {
    const limit = { requests: 3, seconds: 1 };
    await exhaust([await open(limit)]);
    const other = await open(limit);
    expect(await other.consume('key')).toMatchObject({ isAllowed: false });
    const begin = performance.now();
    while (!(await other.consume('key')).isAllowed) await pause(20);
    expect(performance.now() - begin).toBeLessThan(3_000);
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
    const limiter = new NatsRateLimiter(counted, new MemoryRateLimiter(limit), () => undefined);
    for (let i = 0; i < 400; i++) await limiter.consume('key');
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
    while ((await one.consume('other')).remaining !== 29) await pause(100);
    while (decision.remaining > 30 - 4) decision = await two.consume('key');
    expect(decision).toMatchObject({ isAllowed: true });
  });
});

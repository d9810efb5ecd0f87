import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../../platform/kernel/src/testing/eventually.ts';
import type { RateLimit, RateLimiter } from './port.ts';

/** Contract of the rate limiter port. */
export function rateLimiterContract(open: () => Promise<RateLimiter>): void {
  const HOUR = 3_600;
  let key: string;
  beforeEach(() => {
    key = `key ${randomBytes(6).toString('hex')}`;
  });

  it('allows the limit and returns the remaining requests', async () => {
    const limiter = await open();
    const limit: RateLimit = { requests: 25, seconds: HOUR };
    const decisions = [];
    for (let i = 0; i < 27; i++) decisions.push(await limiter.consume(key, limit));
    expect(decisions.map(({ isAllowed }) => isAllowed)).toEqual(decisions.map((_, i) => i < 25));
    expect(decisions.map(({ remaining }) => remaining)).toEqual(decisions.map((_, i) => Math.max(0, 24 - i)));
    for (const { resetMs } of decisions) {
      expect(resetMs).toBeGreaterThan((HOUR - 60) * 1_000);
      expect(resetMs).toBeLessThanOrEqual(HOUR * 1_000);
    }
  });

  it('counts each key separately', async () => {
    const limiter = await open();
    const limit: RateLimit = { requests: 1, seconds: HOUR };
    expect(await limiter.consume(key, limit)).toMatchObject({ isAllowed: true });
    expect(await limiter.consume(key, limit)).toMatchObject({ isAllowed: false });
    expect(await limiter.consume(`${key}.other`, limit)).toMatchObject({ isAllowed: true });
  });

  it('keeps the limit of each key', async () => {
    const limiter = await open();
    expect(await limiter.consume(key, { requests: 1, seconds: HOUR })).toMatchObject({ remaining: 0 });
    const other = { requests: 7, seconds: 60 };
    const decision = await limiter.consume(`${key}.other`, other);
    expect(decision).toMatchObject({ isAllowed: true, remaining: 6 });
    expect(decision.resetMs).toBeLessThanOrEqual(60_000);
  });

  it('allows the limit to concurrent requests', async () => {
    const limiter = await open();
    const limit: RateLimit = { requests: 50, seconds: HOUR };
    const decisions = await Promise.all(Array.from({ length: 120 }, () => limiter.consume(key, limit)));
    expect(decisions.filter(({ isAllowed }) => isAllowed)).toHaveLength(50);
  });

  it('starts a new window when the old one ends', async () => {
    const limiter = await open();
    const limit: RateLimit = { requests: 2, seconds: 1 };
    const rejected = await until(
      () => limiter.consume(key, limit),
      ({ isAllowed }) => !isAllowed,
    );
    expect(rejected.remaining).toBe(0);
    // As long as a client is asked to wait.
    await pause(rejected.resetMs + 20);
    expect(await limiter.consume(key, limit)).toMatchObject({ isAllowed: true, remaining: 1 });
  });
}

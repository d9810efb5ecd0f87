import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateDecision, RateLimit, RateLimiter } from '../../port.ts';

/** Counts in the memory of this process. */
export class MemoryRateLimiter implements RateLimiter {
  readonly limit: RateLimit;
  readonly #limiter: RateLimiterMemory;

  constructor(limit: RateLimit) {
    this.limit = limit;
    this.#limiter = new RateLimiterMemory({ points: limit.requests, duration: limit.seconds });
  }

  async consume(key: string): Promise<RateDecision> {
    try {
      return decision(true, await this.#limiter.consume(key));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      return decision(false, refused);
    }
  }
}

const decision = (isAllowed: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes): RateDecision => ({
  isAllowed,
  remaining: remainingPoints,
  resetMs: msBeforeNext,
});

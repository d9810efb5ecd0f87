import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateDecision, RateLimit, RateLimiter } from '../../port.ts';

/** Different limits whose counts are kept: those that were used last. */
const LIMITS = 1_000;

/** Counts in the memory of this process. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #limiters = new LRUCache<string, RateLimiterMemory>({ max: LIMITS });

  async consume(key: string, limit: RateLimit): Promise<RateDecision> {
    try {
      return decision(true, await this.#limiterOf(limit).consume(key));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      return decision(false, refused);
    }
  }

  #limiterOf({ requests, seconds }: RateLimit): RateLimiterMemory {
    const name = `${requests}/${seconds}`;
    const existing = this.#limiters.get(name);
    if (existing !== undefined) return existing;
    const limiter = new RateLimiterMemory({ points: requests, duration: seconds });
    this.#limiters.set(name, limiter);
    return limiter;
  }
}

const decision = (isAllowed: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes): RateDecision => ({
  isAllowed,
  remaining: remainingPoints,
  resetMs: msBeforeNext,
});

import { MemoryRateLimiter } from './adapters/in-memory/memory-rate-limiter.ts';
import type { NatsRateLimitOptions, RateLimiter } from './port.ts';

export { MemoryRateLimiter } from './adapters/in-memory/memory-rate-limiter.ts';
export type { NatsRateLimitOptions, RateDecision, RateLimit, RateLimiter } from './port.ts';

/**
 * Opens limits that all processes on one NATS share. The first call loads the driver. The caller owns the connection.
 */
export async function openNatsRateLimiter(options: NatsRateLimitOptions): Promise<RateLimiter> {
  const { NatsRateLimiter } = await import('./adapters/nats/nats-rate-limiter.ts');
  return NatsRateLimiter.open(options, new MemoryRateLimiter());
}

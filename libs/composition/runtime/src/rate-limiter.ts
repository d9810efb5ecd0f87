import { MemoryRateLimiter, openNatsRateLimiter, type RateLimit, type RateLimiter } from '#ports/rate-limit';
import { layoutOf } from './settings.ts';
import type { Storage } from './storage/open-storage.ts';

/** The limit of requests that the processes on one NATS keep together, or this one alone. Null: none. */
export async function openRateLimiter(
  { nats, settings }: Storage,
  limit: RateLimit | null,
  logger: { warn(message: string): void },
): Promise<RateLimiter | null> {
  if (limit === null) return null;
  if (nats === null) return new MemoryRateLimiter(limit);
  const onOutage = (error: unknown) => logger.warn(`each process counts requests for itself for now: ${String(error)}`);
  const bucket = `${settings.prefix}-rate-limits`;
  return openNatsRateLimiter({ connection: nats, limit, bucket, onOutage, ...layoutOf(settings, 'rate-limits') });
}

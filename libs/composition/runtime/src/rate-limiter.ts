import { MemoryRateLimiter, openNatsRateLimiter, type RateLimiter } from '#ports/rate-limit';
import { layoutOf } from './settings.ts';
import type { Storage } from './storage/open-storage.ts';

/** What counts the requests of keys: the processes on one NATS together, or this one alone. */
export async function openRateLimiter(
  { nats, settings }: Storage,
  logger: { warn(message: string): void },
): Promise<RateLimiter> {
  if (nats === null) return new MemoryRateLimiter();
  const onOutage = (error: unknown) => logger.warn(`each process counts requests for itself for now: ${String(error)}`);
  const bucket = `${settings.prefix}-rate-limits`;
  return openNatsRateLimiter({ connection: nats, bucket, onOutage, ...layoutOf(settings, 'rate-limits') });
}

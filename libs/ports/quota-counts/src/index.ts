import type { NatsQuotaCountsOptions } from './adapters/nats/nats-quota-counts.ts';
import type { QuotaCounts } from './port.ts';

export { DiskQuotaCounts } from './adapters/disk/disk-quota-counts.ts';
export type { QuotaCount, QuotaCounts } from './port.ts';

/** Opens counts that all processes on one NATS share. The first call loads the driver. The caller owns the connection. */
export async function openNatsQuotaCounts(options: NatsQuotaCountsOptions): Promise<QuotaCounts> {
  const { NatsQuotaCounts } = await import('./adapters/nats/nats-quota-counts.ts');
  return NatsQuotaCounts.open(options);
}

import { DiskQuotaCounts, openNatsQuotaCounts, type QuotaCounts } from '#ports/quota-counts';
import { layoutOf } from './settings.ts';
import type { Storage } from './storage/open-storage.ts';

/** What was used of quotas: counted by the processes on one NATS together, or by this one alone. */
export async function quotaCountsOf({ nats, settings, files }: Storage): Promise<QuotaCounts> {
  if (nats === null) return new DiskQuotaCounts(files.quotas);
  return openNatsQuotaCounts({
    ...{ connection: nats, bucket: `${settings.prefix}-quotas` },
    ...layoutOf(settings, 'quotas'),
  });
}

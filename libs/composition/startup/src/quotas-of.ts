import type { Parts } from '#composition/runtime';
import { OrganizationQuotas, type StoredUsage } from '#features/quotas';
import type { Clock, OrganizationId } from '#platform/kernel';
import type { QuotaCounts } from '#ports/quota-counts';
import { CurrentViews } from '#read-side/views';

export interface QuotasOptions {
  readonly quotaCounts: QuotaCounts;
  readonly clock: Clock;
  readonly logger: { warn(message: string): void };
}

/** Keeps organizations to their quotas, by what the views and the log say that is stored. */
export function quotasOf(
  { storage, views, quotas }: Pick<Parts, 'storage' | 'views' | 'quotas'>,
  { quotaCounts, clock, logger }: QuotasOptions,
): OrganizationQuotas {
  const current = new CurrentViews(views.reader, views.progress, storage.store);
  return new OrganizationQuotas({
    ...{ known: quotas, records: quotaCounts, clock },
    stored: (organization) => storedIn(current, organization),
    onOutage: (error) => logger.warn(`quotas are counted in each process for itself for now: ${String(error)}`),
  });
}

/** While the views lag, the documents that they do not show are counted in the log. */
async function storedIn(current: CurrentViews, organization: OrganizationId): Promise<StoredUsage> {
  const types = ['DocumentAdded', 'DocumentDeleted'];
  const { views, rest } = await current.readWithRest({ types, organization });
  const { documents, storedBytes } = await views.stored(organization);
  let more = 0;
  for await (const { envelope } of rest) {
    if (envelope.type === 'DocumentAdded') more += 1;
    else if (envelope.category !== 'memory') more -= 1;
  }
  return { documents: documents + more, storedBytes };
}

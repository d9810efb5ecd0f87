import { type ErasedEvent, foldWith, type Recorded } from '#platform/kernel';
import { QUOTA_EVENTS, type QuotaChanges, type QuotaName, type Quotas, type QuotasChanged } from './events.ts';

export const QUOTA_NAMES: readonly QuotaName[] = ['documents', 'storedBytes', 'addsPerDay', 'tokensPerMonth'];

export const NO_QUOTAS: Quotas = {};

function evolve(quotas: Quotas, event: Recorded<QuotasChanged> | ErasedEvent): Quotas {
  if (event.type === 'erased') return NO_QUOTAS;
  const changed = { ...quotas, ...event.payload };
  return Object.fromEntries(Object.entries(changed).filter(([, limit]) => limit !== null)) as Quotas;
}

export const foldQuotas = foldWith(QUOTA_EVENTS, evolve);

/** Changes what is different. */
export function decideChange(quotas: Quotas, changes: QuotaChanges): readonly QuotasChanged[] {
  const payload = Object.fromEntries(
    QUOTA_NAMES.flatMap((name) => {
      const limit = changes[name];
      return limit === undefined || limit === (quotas[name] ?? null) ? [] : [[name, limit]];
    }),
  ) as QuotaChanges;
  return Object.keys(payload).length === 0 ? [] : [{ type: 'QuotasChanged', payload }];
}

export { QUOTA_NAMES } from './decide.ts';
export { QUOTA_EVENTS, type QuotaChanges, type QuotaName, type Quotas } from './events.ts';
export { KnownQuotas } from './known-quotas.ts';
export {
  OrganizationQuotas,
  type QuotaUse,
  type StoredUsage,
  type TakenAdds,
  type WantedAdds,
} from './organization-quotas.ts';
export { type ExceededQuota, quotaExceeded } from './quota-exceeded.ts';
export { QuotaRepository } from './quota-repository.ts';
export { TokenCount } from './token-count.ts';

import { mnemeError } from '#platform/kernel';
import type { QuotaName } from './events.ts';

/** What the answer to a request says that a quota forbids. */
export interface ExceededQuota {
  readonly quota: QuotaName;
  readonly limit: number;
  /** When the count begins again: milliseconds since the Unix epoch. Null: never; what is deleted makes room. */
  readonly resetsAt: number | null;
  /** How long a client may wait before it tries again. Seconds. */
  readonly retryAfter: number;
}

/** Without a reset, a client asks again after an hour. */
const NO_RESET_S = 3_600;

/** A request would use more than a quota of its organization permits. */
export class QuotaExceededError extends mnemeError(undefined, 'quota_exceeded') {}

/** @param resetsAt as in `ExceededQuota`. @param now milliseconds since the Unix epoch */
export function quotaExceeded(
  quota: QuotaName,
  limit: number,
  resetsAt: number | null,
  now: number,
): QuotaExceededError {
  const retryAfter = resetsAt === null ? NO_RESET_S : Math.max(1, Math.ceil((resetsAt - now) / 1_000));
  const exceeded: ExceededQuota = { quota, limit, resetsAt, retryAfter };
  return new QuotaExceededError(`The quota ${quota} of the organization is used up`, { details: { ...exceeded } });
}

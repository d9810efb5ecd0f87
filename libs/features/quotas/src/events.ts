import type { EventCatalogue, EventOf } from '#platform/kernel';

/** What an organization may have and do at most. Absent: without limit. */
export interface Quotas {
  /** Documents at the same time. Memories that are recorded directly are none. */
  readonly documents?: number;
  /** Bytes of files and characters of texts, as they were sent. */
  readonly storedBytes?: number;
  /** New documents, and memories sent to be recorded, in a day (UTC). */
  readonly addsPerDay?: number;
  /** Tokens of passages that get vectors in a month (UTC). */
  readonly tokensPerMonth?: number;
}

export type QuotaName = keyof Quotas;

/** What an operator sets; null: without limit. Absent: it stays. */
export type QuotaChanges = Readonly<Partial<Record<QuotaName, number | null>>>;

/** Changes of the quotas of an organization. */
export type QuotasChanged = EventOf<'QuotasChanged', QuotaChanges>;

export const QUOTA_EVENTS: EventCatalogue<QuotasChanged> = { QuotasChanged: { version: 1, payload: true } };

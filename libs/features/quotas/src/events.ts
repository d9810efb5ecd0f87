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

/** Null: without limit. Absent: it stays. */
export type QuotasChanged = EventOf<
  'QuotasChanged',
  {
    readonly documents?: number | null;
    readonly storedBytes?: number | null;
    readonly addsPerDay?: number | null;
    readonly tokensPerMonth?: number | null;
  }
>;

/** What an operator sets. */
export type QuotaChanges = QuotasChanged['payload'];

export const QUOTA_EVENTS: EventCatalogue<QuotasChanged> = { QuotasChanged: { version: 1, payload: true } };

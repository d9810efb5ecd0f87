import type { Json, JsonObject, Metadata, OrganizationId } from '#platform/kernel';
import type { ItemFilters, SyncOutcome, SyncTrigger } from './events.ts';

/** What a sync has come to. */
export interface SyncCounts {
  /** Items that the source lists and the filters take. */
  readonly found: number;
  /** Items that were added, changed or removed. */
  readonly done: number;
  /** Items that could not be brought. */
  readonly failed: number;
  /** Bytes that were brought. */
  readonly bytes: number;
}

export const NO_COUNTS: SyncCounts = { found: 0, done: 0, failed: 0, bytes: 0 };

export interface RunningSync extends SyncCounts {
  readonly id: string;
  readonly trigger: SyncTrigger;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

export interface EndedSync extends RunningSync {
  readonly endedAt: number;
  readonly outcome: SyncOutcome;
  readonly message: string | null;
}

/** A connection that is not deleted, or is being deleted. */
export interface Connection {
  readonly status: 'live' | 'ending';
  readonly id: string;
  readonly organization: OrganizationId;
  readonly provider: string;
  /** Of its documents. */
  readonly tags: readonly string[];
  /** Who created it, as events name it. */
  readonly createdBy: string;
  readonly setup: JsonObject;
  readonly metadata: Metadata | null;
  readonly documentLimit: number | null;
  readonly filters: ItemFilters;
  /** Of the last listing. Null: everything is listed. */
  readonly cursor: Json;
  /** Number of the last stream that items are recorded in; 0: none. */
  readonly segment: number;
  readonly running: RunningSync | null;
  /** The newest first. */
  readonly ended: readonly EndedSync[];
  /** How many syncs have ended. */
  readonly syncs: number;
  /** Since the start of the last sync. Null: nobody has asked for one. */
  readonly requested: SyncTrigger | null;
  /** Items that are gone at the source and wait for a confirmation to be removed; 0: none. */
  readonly gone: number;
  /** The next sync may remove them. */
  readonly isConfirmed: boolean;
  /** When it is deleted. */
  readonly deletesDocuments: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export type ConnectionState = { readonly status: 'absent' } | { readonly status: 'erased' } | Connection;

export const initialConnection: ConnectionState = { status: 'absent' };

/** Version of the shape of the state; snapshots of other versions are ignored. */
export const CONNECTION_VERSION = 1;

export const isConnection = (state: ConnectionState): state is Connection =>
  state.status === 'live' || state.status === 'ending';

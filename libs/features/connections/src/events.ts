import type { EventCatalogue, EventOf, Json, JsonObject, Metadata } from '#platform/kernel';

/** Why a sync runs. `event`: the source reported a change. `cron`: the interval is over. `manual`: somebody asked. */
export type SyncTrigger = 'manual' | 'event' | 'cron';

/** Which items of a source become documents. */
export interface ItemFilters {
  /**
   * Patterns of paths, one of which an item has to match; empty: any. `*` and `?` as in shells, `**` for any folders. One that
   * ends in "/" stands for all that is below it. A pattern without "/", or with one at its end alone, holds in every folder.
   */
  readonly include: readonly string[];
  /** Patterns of paths that are left out. */
  readonly exclude: readonly string[];
  /** Content types to take, such as `application/pdf` or `text/*`; empty: any. Items whose type is not known are taken. */
  readonly contentTypes: readonly string[];
  /** Largest size in bytes. Null: that of the server. */
  readonly maxBytes: number | null;
}

/**
 * How a sync ended. `many_removed`: more than half of the items are gone at the source, and none was removed. `source_lost`:
 * the source as a whole could not be read.
 */
export type SyncOutcome = 'completed' | 'failed' | 'many_removed' | 'source_lost';

/** The tags are those of the documents, in the envelope. */
export type ConnectionCreated = EventOf<
  'ConnectionCreated',
  {
    readonly id: string;
    readonly provider: string;
    /** As the connector read it; never a secret. */
    readonly setup: JsonObject;
    /** As it was sent, without what is secret. */
    readonly metadata: Metadata | null;
    /** Most documents. Null: any number. */
    readonly documentLimit: number | null;
    readonly filters: ItemFilters;
  }
>;

/** Only what changed is present; the tags are in the envelope. */
export type ConnectionChanged = EventOf<'ConnectionChanged', { readonly setup?: JsonObject }>;

/** Somebody, or the source, asks for a sync now. `code`: the trigger. */
export type SyncRequested = EventOf<'SyncRequested', null> & { readonly code: string };

/** `code`: the trigger. A sync in which nothing has changed may have its end alone. */
export type SyncStarted = EventOf<'SyncStarted', { readonly run: string }> & { readonly code: string };

/**
 * How far a sync is, at most every ten seconds. `sizes`: found, done, failed, bytes, so far. `segment`: the number of the
 * stream that what it has done is recorded in, from 1; absent: as before.
 */
export type SyncProgressed = EventOf<'SyncProgressed', { readonly run: string; readonly segment?: number }>;

/** `sizes` as of `SyncProgressed`, and `gone`: items that are gone at the source and were not removed. */
export type SyncEnded = EventOf<
  'SyncEnded',
  {
    readonly run: string;
    readonly trigger: SyncTrigger;
    /** ISO 8601. */
    readonly startedAt: string;
    readonly outcome: SyncOutcome;
    /** Null: it completed. */
    readonly message: string | null;
    /** Of the source, for the next listing. */
    readonly cursor: Json;
  }
>;

/** The next sync may remove items although they are many. */
export type RemovalConfirmed = EventOf<'RemovalConfirmed', null>;

/** What was synced is removed, if it is to be, and what is kept for the connection. */
export type ConnectionDeleted = EventOf<'ConnectionDeleted', { readonly deleteDocuments: boolean }>;

/** Nothing is left of the connection. The last event of its stream, which it erases. */
export type ConnectionErased = EventOf<'ConnectionErased', null>;

export type ConnectionEvent =
  | ConnectionCreated
  | ConnectionChanged
  | SyncRequested
  | SyncStarted
  | SyncProgressed
  | SyncEnded
  | RemovalConfirmed
  | ConnectionDeleted
  | ConnectionErased;

export const CONNECTION_EVENTS: EventCatalogue<ConnectionEvent, { readonly isWrite: boolean }> = {
  ConnectionCreated: { version: 1, payload: true, isWrite: true },
  ConnectionChanged: { version: 1, payload: true, isWrite: false },
  SyncRequested: { version: 1, payload: false, isWrite: false },
  SyncStarted: { version: 1, payload: true, isWrite: false },
  SyncProgressed: { version: 1, payload: true, isWrite: false },
  SyncEnded: { version: 1, payload: true, isWrite: false },
  RemovalConfirmed: { version: 1, payload: false, isWrite: false },
  ConnectionDeleted: { version: 1, payload: true, isWrite: false },
  ConnectionErased: { version: 1, payload: false, isWrite: false },
};

/** What is known of an item of a source. */
export type SyncedItem = {
  /** As of the source. */
  readonly id: string;
  readonly version: string;
  /** Hash of what a document shows of the item beside its content. */
  readonly details: string;
  readonly path: string;
  readonly title: string;
  /** Id of its document. Null: it has none. */
  readonly document: string | null;
  /** SHA-256 of the content. Null: it was never brought. */
  readonly hash: string | null;
  /** Bytes of the content. Null: not known. */
  readonly bytes: number | null;
  /** Why its present content could not be brought. Null: it was. */
  readonly failure: string | null;
};

/** What has become of items since the event before; each replaces what was known of the item. `removed`: their ids. */
export type ItemsSynced = EventOf<
  'ItemsSynced',
  {
    readonly items: readonly SyncedItem[];
    readonly removed: readonly string[];
  }
>;

export const ITEM_EVENTS: EventCatalogue<ItemsSynced> = {
  ItemsSynced: { version: 1, payload: true },
};

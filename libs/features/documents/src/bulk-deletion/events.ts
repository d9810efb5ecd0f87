import type { EventCatalogue, EventOf } from '#platform/kernel';

/**
 * How the documents of a bulk deletion are named. `all`: those of the organization. `tag`: the tag itself is deleted, with
 * what was set on it; documents with another tag lose only this one. `reset`: all, with everything that was set in the
 * organization.
 */
export type SelectedBy = 'ids' | 'tags' | 'filepath' | 'all' | 'tag' | 'reset';

/** A bulk deletion has an id and is not finished. Recorded before it is requested. */
export type BulkDeletionOpened = EventOf<'BulkDeletionOpened', { readonly deletionId: string }>;
export type BulkDeletionClosed = EventOf<'BulkDeletionClosed', { readonly deletionId: string }>;

/** The bulk deletions of all organizations that are not finished. */
export type OpenDeletionsEvent = BulkDeletionOpened | BulkDeletionClosed;

/**
 * Documents that were added before this event are deleted. A second one of its stream: the same request was made again. The
 * tags of the envelope restrict the documents to those that carry one of them; empty: no restriction.
 */
export type BulkDeletionRequested = EventOf<
  'BulkDeletionRequested',
  {
    readonly by: SelectedBy;
    /** Hash of the request, by which the same request is recognised. */
    readonly fingerprint: string;
    readonly filepath: string | null;
  }
>;

/** What the ids of the request came to, in their order: the internal id, or the name of a refusal. */
export type DocumentsSelected = EventOf<'DocumentsSelected', { readonly resolved: readonly string[] }>;

/** `sizes.documents`: how many were deleted; `sizes.unerased`, if any: of how many the blobs or vectors were not removed yet. */
export type BulkDeletionFinished = EventOf<'BulkDeletionFinished', null>;

/** The events of one bulk deletion. */
export type BulkDeletionEvent = BulkDeletionRequested | DocumentsSelected | BulkDeletionFinished;

export const OPEN_DELETIONS_EVENTS: EventCatalogue<OpenDeletionsEvent> = {
  BulkDeletionOpened: { version: 1, payload: true },
  BulkDeletionClosed: { version: 1, payload: true },
};

export const BULK_DELETION_EVENTS: EventCatalogue<BulkDeletionEvent> = {
  BulkDeletionRequested: { version: 1, payload: true },
  DocumentsSelected: { version: 1, payload: true },
  BulkDeletionFinished: { version: 1, payload: false },
};

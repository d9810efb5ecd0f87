import type { EventCatalogue, EventOf } from '#platform/kernel';

/**
 * The tags are in the envelope: the target, then the sources. The correlation id of every event of a merge, also in the
 * streams of its documents, is the id of the merge.
 */
export type TagMergeStarted = EventOf<'TagMergeStarted', null>;

/** `stage`: what the merge does from now on. `sizes`: `documents` that were moved, `sources` that are complete. */
export type TagMergeProgressed = EventOf<'TagMergeProgressed', null> & {
  readonly stage: string;
  readonly attempt: number;
  readonly sizes: { readonly documents: number; readonly sources: number };
};

export type TagMergeCompleted = EventOf<'TagMergeCompleted', null>;

/** The merge was given up; documents that were moved stay moved. */
export type TagMergeFailed = EventOf<'TagMergeFailed', null> & { readonly code: string };

export type TagMergeEvent = TagMergeStarted | TagMergeProgressed | TagMergeCompleted | TagMergeFailed;

export const TAG_MERGE_EVENTS: EventCatalogue<TagMergeEvent> = {
  TagMergeStarted: { version: 1, payload: false },
  TagMergeProgressed: { version: 1, payload: false },
  TagMergeCompleted: { version: 1, payload: false },
  TagMergeFailed: { version: 1, payload: false },
};

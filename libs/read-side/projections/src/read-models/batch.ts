import type { Position, RecordedEvent } from '#ports/event-store';
import type { Draft } from './drafts.ts';
import type { Folded } from './touched-documents.ts';

/** What a batch brings of a document. */
export interface DiscardedContent {
  readonly events: readonly RecordedEvent[];
  /** Other tags, metadata, front matter or another path. */
  readonly isMoved: boolean;
  /** Ids of memories that have got streams. */
  readonly touched: readonly string[];
}

/** Drafts of a batch, by their streams, and how far their streams are folded. */
export class Batch {
  readonly drafts = new Map<string, Draft>();
  readonly folded = new Map<string, Folded>();
  /** Documents whose memories have changed, and which of these. */
  readonly memories = new Map<string, Set<string>>();
  /** Documents of which content that searches knew was discarded once, and what has happened to them. */
  readonly discarded = new Map<string, DiscardedContent>();
  /** Null: the streams are read to their ends. */
  readonly until: Position | null;

  constructor(until: Position | null) {
    this.until = until;
  }
}

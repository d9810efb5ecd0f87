import type { Position } from '#event-store';
import type { Draft } from './drafts.ts';
import type { Folded } from './touched-documents.ts';

/** Drafts of a batch, by their streams, and how far their streams are folded. */
export class Batch {
  readonly drafts = new Map<string, Draft>();
  readonly folded = new Map<string, Folded>();
  /** Documents whose memories have changed, and which of these. */
  readonly memories = new Map<string, Set<string>>();
  /** Null: the streams are read to their ends. */
  readonly until: Position | null;

  constructor(until: Position | null) {
    this.until = until;
  }
}

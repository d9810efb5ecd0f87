import type { DocumentRepository } from '#features/documents';
import type { EventStore, Position } from '#ports/event-store';
import type { DocumentRow, ViewsWriter } from '#read-side/views';
import type { Projector } from '../projector.ts';
import type { DeferredUnits } from '../read-model.ts';

/** Codes of errors after which the views have to be opened again: another writer has taken over, or they are unusable. */
export const REOPEN = ['fenced', 'views_damaged', 'views_missing'];

/** Milliseconds between calls that are repeated without end. */
export const FIRST_PAUSE_MS = 100;
export const LONGEST_PAUSE_MS = 10_000;

/** How much one batch, or several, wrote into the views. */
export interface WrittenCounts {
  readonly documents: number;
  readonly units: number;
}

export const NOTHING: WrittenCounts = { documents: 0, units: 0 };

export const together = (a: WrittenCounts, b: WrittenCounts): WrittenCounts => ({
  documents: a.documents + b.documents,
  units: a.units + b.units,
});

/** Writes units while other batches are applied, so that short documents do not wait for long ones. */
export interface LateWriting {
  /** Whether these units are written late. Asked before the batch of their document is written. */
  takes(units: DeferredUnits): boolean | Promise<boolean>;
  /**
   * Writes units of a document whose row is there.
   * @param signal aborts when the units have been overtaken; nothing is written after the call has ended
   * @throws RowRejectedError if they can never be written
   */
  write(units: DeferredUnits, signal: AbortSignal): Promise<void>;
  /**
   * Called with true before the progress of a batch that leaves out units of this document, and with false when searches
   * find them, or something else has taken their place.
   */
  onChange(document: DocumentRow, isLate: boolean): void;
}

export interface ProjectionOptions {
  readonly store: EventStore;
  readonly writer: ViewsWriter;
  readonly projector: Projector;
  /**
   * Writes units that the projector defers, ahead of the checkpoint.
   * @throws RowRejectedError if they can never be written
   */
  readonly writeDeferred?: (units: DeferredUnits) => Promise<void>;
  /** Units that the projector defers, and that are written beside the batches after theirs. Default: none. */
  readonly late?: LateWriting;
  /** Records that the views reject a document, or that it has lost something. */
  readonly documents: Pick<DocumentRepository, 'change' | 'lost' | 'losses'>;
  /**
   * Whether content was missing in so many documents that the views stopped, here or before this began. It ends with the
   * next batch that lacks nothing. Default: not suspended.
   */
  readonly suspension?: { isOpen: boolean };
  readonly signal: AbortSignal;
  /** Called with how far the views are, and with what was written since the last call. */
  readonly onProgress: (position: Position, written: WrittenCounts) => void;
  /** Called when a batch could not be applied; it is tried again, without what the views reject. */
  readonly onFault: (error: unknown) => void;
}

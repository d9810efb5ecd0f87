import type { DocumentRepository } from '#documents';
import type { EventStore, Position } from '#event-store';
import type { ViewsWriter } from '#views';
import type { Projector } from '../projector.ts';
import type { DeferredUnits } from '../read-model.ts';

/** How much one batch, or several, wrote into the views. */
export interface Written {
  readonly documents: number;
  readonly units: number;
}

export const NOTHING: Written = { documents: 0, units: 0 };

export const together = (a: Written, b: Written): Written => ({
  documents: a.documents + b.documents,
  units: a.units + b.units,
});

export interface ProjectionOptions {
  readonly store: EventStore;
  readonly writer: ViewsWriter;
  readonly projector: Projector;
  /**
   * Writes units that the projector defers, ahead of the checkpoint.
   * @throws RowRejectedError if they can never be written
   */
  readonly writeDeferred?: (units: DeferredUnits) => Promise<void>;
  /** Records that the views reject a document, or that it has lost something. */
  readonly documents: Pick<DocumentRepository, 'change' | 'recordLoss' | 'losses'>;
  /**
   * Whether content was missing in so many documents that the views stopped, here or before this began. It ends with the
   * next batch that lacks nothing. Default: not suspended.
   */
  readonly suspension?: { isOpen: boolean };
  readonly signal: AbortSignal;
  /** Called with how far the views are, and with what was written since the last call. */
  readonly onProgress: (position: Position, written: Written) => void;
  /** Called when a batch could not be applied; it is tried again, without what the views reject. */
  readonly onFault: (error: unknown) => void;
}

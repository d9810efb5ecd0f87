import type { OrganizationId } from '#platform/kernel';
import type { Position } from '#ports/event-store';
import type { DocumentChange } from './documents.ts';
import type { BuildingModel, LeftOutRows, RowsChange } from './rows.ts';

/** A change of one read model. */
export type ViewsChange = DocumentChange | RowsChange;

export interface DocumentName {
  readonly organization: OrganizationId;
  readonly id: string;
}

/** The write side of the views. Only projections hold one. */
export interface ViewsWriter {
  /** Returns up to where the views reflect the log. Null: nothing yet. */
  checkpoint(): Promise<Position | null>;
  /** Returns the positions up to which rows may follow from the log. In a log with another history, one is not held. */
  positions(): Promise<readonly Position[]>;
  /** Returns the vector space that the views were created for. */
  vectorSpace(): Promise<string | null>;
  /** Writes all changes and the checkpoint in one transaction. @throws RowRejectedError */
  apply(changes: readonly ViewsChange[], checkpoint: Position): Promise<void>;
  /**
   * Optional: writes rows without committing the checkpoint. Searches find them with the next `apply`; after a crash in
   * between they have to be written again.
   */
  bring?(changes: readonly ViewsChange[]): Promise<void>;
  /**
   * Optional: called once everything is written that the log held when the writer was opened. Until then the views may hold
   * rows of a former writer that ended in the middle of a batch.
   */
  caughtUp?(): void;
  /**
   * Records how far the views are while the checkpoint stays behind units that are written later. Where other processes follow
   * the views, what there is of these documents is neither found nor counted until they are named no more.
   */
  report(position: Position, late: readonly DocumentName[]): Promise<void>;
  /**
   * Keeps in mind that rows are missing which `apply` has refused, until other rows take the place of all rows of their stream,
   * or the read model is built again.
   */
  leaveOut(rows: readonly LeftOutRows[]): Promise<void>;
  /** Returns the read models that were created or changed their shape after the checkpoint was first written. */
  building(): readonly BuildingModel[];
  /**
   * Writes changes of a read model that is being built, and how far the log has been read for it.
   * @param after null: to the end; the read model has joined the others
   */
  build(model: string, changes: readonly ViewsChange[], after: Position | null): Promise<void>;
  close(): Promise<void>;
}

import type { DocumentRow } from '#views';

/** A document as it is right now, with its content if the caller asked for it. */
export interface DocumentView {
  readonly row: DocumentRow;
  /** The exact stored text; null until known, or if it was not asked for. */
  readonly content: string | null;
}

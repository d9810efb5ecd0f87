import type { DocumentRow, Unit } from '#views';

/** A document as it is right now, with its content if the caller asked for it. */
export interface DocumentView {
  readonly row: DocumentRow;
  /** The exact stored text; null until known, or if it was not asked for. */
  readonly content: string | null;
}

/** A document with everything that is derived from it, as far as it is formed. */
export interface DocumentDetails extends DocumentView {
  /** In order. */
  readonly memories: readonly Unit[];
}

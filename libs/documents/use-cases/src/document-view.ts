import type { LongText } from '#documents';
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

/** The same of a document that is too long to be held: content and memories are read while they are iterated, once each. */
export interface LongDocument {
  readonly row: DocumentRow;
  readonly pieces: AsyncIterable<string> | null;
  readonly eachMemory: AsyncIterable<Unit>;
}

/** A document of a list, whose content is read when it is asked for if there is too much of it for one answer. */
export interface ListedView {
  readonly row: DocumentRow;
  readonly content: string | LongText | null;
}

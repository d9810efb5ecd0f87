import type { FetchRetry, LongContent, ReadingProgress, RecordContent } from '#features/documents';
import type { VersionInDocument } from '#features/memories';
import type { JsonObject } from '#platform/kernel';
import type { DocumentRow } from '#read-side/views';

/** A document as it is right now, with its content if the caller asked for it. */
export interface DocumentView {
  readonly row: DocumentRow;
  /** The exact stored text; null until known, or if it was not asked for. */
  readonly content: string | null;
}

/** A document with everything that is derived from it, as far as it is formed. */
export interface DocumentDetails extends DocumentView {
  /** All versions of each, the memories in order. */
  readonly memories: readonly VersionInDocument[];
  /** Null: the text is not being read, or that takes no time worth mentioning. */
  readonly progress: ReadingProgress | null;
  /** Null: no fetch of the document waits for its next try. */
  readonly retry: FetchRetry | null;
  /** Of the bytes that its text was read from. Null: it was sent as text, or the bytes are no text in one encoding. */
  readonly encoding: string | null;
  /** By names. Null: the content has no front matter. */
  readonly frontMatter: JsonObject | null;
}

/** The same of a document that is too long to be held: content and memories are read while they are iterated, once each. */
export interface LongDocument extends LongContent {
  readonly row: DocumentRow;
  readonly encoding: string | null;
  readonly frontMatter: JsonObject | null;
  readonly eachMemory: AsyncIterable<VersionInDocument>;
}

/** A document of a list; its content, if the caller asked for it, may be omitted or read while the answer is sent. */
export interface ListedView extends RecordContent {
  readonly row: DocumentRow;
}

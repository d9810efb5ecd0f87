import { MnemeError } from '#kernel';
/** What a document is made from. */
export interface Source {
  /** The text as it was sent, or the bytes of a file. */
  readonly body: string | Uint8Array;
  readonly kind: SourceKind;
  /** The name of an uploaded file, which becomes the title; null: the title is taken from the text. */
  readonly fileName: string | null;
  /** ISO 8601 date or time that relative dates and memories refer to; null: unknown. */
  readonly documentDate: string | null;
}

/** How to read the body. `text` also covers chat transcripts, Markdown, HTML and JSON that a caller sent as a string. */
export type SourceKind = 'text' | 'markdown' | 'csv' | 'json' | 'html';

/** The `type` of a document record (contract §2.1). */
export type DocumentType =
  | 'text'
  | 'pdf'
  | 'tweet'
  | 'google_doc'
  | 'google_slide'
  | 'google_sheet'
  | 'image'
  | 'video'
  | 'audio'
  | 'notion_doc'
  | 'webpage'
  | 'onedrive';

/** A passage, as a range of UTF-16 code units of the extracted text: `text.slice(start, end)`. Trimmed, never empty. */
export interface Passage {
  readonly start: number;
  readonly end: number;
}

/** A statement that stands on its own. */
export interface MemoryPassage extends Passage {
  /** Who said it, where the source is a transcript. */
  readonly speaker: string | null;
}

export interface Extracted {
  /** The searchable text; line ends are `\n`. Ranges refer to it. */
  readonly text: string;
  /** The file name, or at most 100 characters of the text. */
  readonly title: string | null;
  /** First sentences, at most 300 characters; null where there is nothing to say beyond the title. */
  readonly summary: string | null;
}

export interface ExtractedDocument extends Extracted {
  readonly chunks: readonly Passage[];
  readonly memories: readonly MemoryPassage[];
}

/** The source holds nothing that can be indexed. The message never quotes the source. */
export class ExtractionError extends MnemeError {
  override readonly name = 'ExtractionError';
  override readonly kind = 'permanent';
  override readonly code = 'extraction_failed';
}

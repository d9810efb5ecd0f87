import type { JsonObject, Location, Section } from '#platform/kernel';

/** What is known of a source that its bytes may not say. Null: not known. */
export interface SourceDetails {
  readonly title: string | null;
  readonly author: string | null;
  /** As the source writes it. */
  readonly date: string | null;
  /** BCP 47. */
  readonly language: string | null;
  readonly canonicalUrl: string | null;
}

/** The source of a document. */
export interface Source {
  /** The text as sent, or the bytes of a file. */
  readonly body: string | Uint8Array;
  /** Kind of the extractor that reads the body. */
  readonly kind: string;
  /** Name of an uploaded file, which becomes the title; null: the title is taken from the text. */
  readonly fileName: string | null;
  /** ISO 8601 date or time to which relative dates refer; null: unknown. */
  readonly documentDate: string | null;
  /** Where texts begin in the body that were added one by one, in order. Absent: there is none. */
  readonly borders?: readonly number[];
  /** Of a text that was read from a file before. */
  readonly sections?: readonly Section[];
  /** Where it was found; absent: it was sent. */
  readonly url?: string;
  /** Charset that came with the bytes. Absent or null: none. */
  readonly charset?: string | null;
  /** Absent: nothing. */
  readonly details?: SourceDetails;
}

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

/** A range of UTF-16 code units of the extracted text, `text.slice(start, end)`; trimmed and never empty. */
export interface Passage {
  readonly start: number;
  readonly end: number;
  /** Where it stands in the source. Absent: not known. */
  readonly location?: Location;
}

/** A passage that makes sense without the text around it. */
export interface MemoryPassage extends Passage {
  /** The speaker; null if the source is not a transcript. */
  readonly speaker: string | null;
}

export interface ExtractedContent {
  /** Searchable text with `\n` line ends. Ranges refer to it. */
  readonly text: string;
  /** The file name, or at most 100 characters of the text. */
  readonly title: string | null;
  /** BCP 47, such as `en`; null: not known, as in the following. */
  readonly language: string | null;
  readonly author: string | null;
  readonly canonicalUrl: string | null;
  /** ISO 8601 date or time that the source names as its own. */
  readonly date: string | null;
  /**
   * Label of the Encoding Standard for the encoding of the bytes, such as `windows-1251`. Null also where they are no text, or
   * have several encodings.
   */
  readonly encoding: string | null;
  /** The values of the front matter, which begins the text. Null: it has none. */
  readonly frontMatter: JsonObject | null;
  /** Empty: the source has no pages, sheets or rows. */
  readonly sections: readonly Section[];
  /** Where texts begin that were added one by one, in order. */
  readonly borders: readonly number[];
}

export interface ExtractedDocument extends ExtractedContent {
  readonly chunks: readonly Passage[];
  readonly memories: readonly MemoryPassage[];
}

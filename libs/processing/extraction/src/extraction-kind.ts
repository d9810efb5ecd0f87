import type { JobKind } from '#platform/child-jobs';
import type { JsonObject, Section } from '#platform/kernel';
import type { Upload } from './detect.ts';
import type { DocumentType, ExtractedContent } from './port.ts';
import type { ExtractionResources, SpokenPart } from './resources.ts';

const MIB = 1024 * 1024;

/**
 * Reading of files and long texts in a child process. Memory above the heap limit is for the bytes of the file and what
 * the parsers hold outside of the heap.
 */
export const extractionKind: JobKind = {
  name: 'extraction',
  entry: new URL('./extract.child.ts', import.meta.url),
  limits: { rssBytes: 2_560 * MIB, heapMb: 2_048, ms: 120_000, outputBytes: 512 * MIB },
  shortBytes: 256 * 1024,
  ahead: 1,
};

/** How a text is written in the input file. */
export type TextEncoding = 'utf8' | 'utf16le';

/** What was read of a file before it is read again. */
interface ReadBefore {
  /** Texts of the pictures in the file; absent: they are not read yet. */
  readonly pictures?: Readonly<Record<string, string>>;
  /** What was said in a recording. */
  readonly spoken?: readonly SpokenPart[];
}

/** What a job of the kind does with its input file. */
export type ExtractionTask =
  /** Reads an uploaded file. Output: the text. Reports of a recording: `SpokenPart`. */
  | (ReadBefore & {
      readonly task: 'extract-file';
      readonly upload: Omit<Upload, 'bytes'>;
      readonly resources: ExtractionResources;
    })
  /**
   * Reads what was fetched from a URL: a page as its article, a part of a site (`SitePage`) as the site says, anything else
   * as a file. Output and reports as of `extract-file`.
   */
  | (ReadBefore & {
      readonly task: 'extract-page';
      readonly contentType: string | null;
      /** Where it was found, after redirects. */
      readonly url: string;
      readonly fileName: string | null;
      /** `before`: what the part before this one has said; null: it is the first. */
      readonly site: { readonly name: string; readonly before: JsonObject | null } | null;
      readonly resources: ExtractionResources;
    })
  /** Reads pictures of a file of this kind, by their names. No output and no answer. Reports: `PictureReport`. */
  | {
      readonly task: 'read-pictures';
      readonly kind: string;
      readonly names: readonly string[];
      readonly resources: ExtractionResources;
    }
  /** Reads a text. `kind`, `fileName` and `borders` as of its source. Output: the text, if it differs from the input. */
  | {
      readonly task: 'extract-text';
      readonly encoding: TextEncoding;
      readonly kind: string;
      readonly fileName: string | null;
      readonly borders: readonly number[];
    }
  /** Finds the passages of an extracted text. Output: `Passages` as JSON. */
  | {
      readonly task: 'split';
      readonly encoding: TextEncoding;
      readonly chunkTokens: number;
      readonly sections: readonly Section[];
      readonly borders: readonly number[];
    }
  /**
   * Finds the passages of an extracted text and gives them ids with this key. Output: a line of JSON for the chunks, and one
   * for the memories, each as the log keeps them. Answer: `WrittenLists`.
   */
  | {
      readonly task: 'split-with-ids';
      readonly encoding: TextEncoding;
      readonly chunkTokens: number;
      readonly sections: readonly Section[];
      readonly borders: readonly number[];
      readonly unitKey: string;
      readonly withMemories: boolean;
    };

/** The text of a picture, reported when it is read; empty: it shows none. */
export type PictureReport = readonly [name: string, text: string];

/** The answer to `extract-file`, `extract-page` and `extract-text`. */
export type ExtractionAnswer =
  | (Omit<ExtractedContent, 'text'> & {
      readonly outcome: 'extracted';
      readonly type: DocumentType;
      /** The text in the output file. Null: the input is the text, and there is no output. */
      readonly written: WrittenText | null;
      /** Length of the text in UTF-16 code units. */
      readonly characters: number;
    })
  /** The text also depends on pictures of the file: read them, and extract it again with their texts. */
  | { readonly outcome: 'pictures'; readonly kind: string; readonly names: readonly string[] }
  | { readonly outcome: 'unsupported'; readonly reason: string; readonly type: DocumentType }
  /** The text is at another address of the site. `before` belongs into the next task. */
  | { readonly outcome: 'next'; readonly address: string; readonly before: JsonObject }
  /** The site does not give the text. */
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly type: DocumentType }
  /** The text is one URL. */
  | { readonly outcome: 'url' };

export type WrittenLists = {
  readonly chunks: WrittenList;
  readonly memories: WrittenList;
};

/** A list in a file, as JSON in UTF-8. */
export type WrittenList = {
  /** In items. */
  readonly length: number;
  readonly bytes: number;
  /** `contentHash` of the JSON. */
  readonly hash: string;
};

/** A text in a file, in UTF-8. */
export type WrittenText = {
  readonly characters: number;
  /** Its `contentHash`. */
  readonly hash: string;
};

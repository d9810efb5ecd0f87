import type { JsonObject, Section } from '#platform/kernel';
import type { Picture } from '../ocr/picture.ts';
import type { DocumentType } from '../port.ts';
import type { ExtractionContext } from '../resources.ts';

/** The text of a source, with what the format says about it. */
export interface ReadableText {
  readonly text: string;
  /** Null: the title is taken from the text. */
  readonly title: string | null;
  /** The source is known by its title, and not by the name of its file. */
  readonly titleComesFirst?: boolean;
  /** BCP 47. */
  readonly language?: string | null;
  readonly author?: string | null;
  readonly canonicalUrl?: string | null;
  /** Label of the encoding of its bytes. */
  readonly encoding?: string | null;
  /** The values of front matter, by their names. */
  readonly frontMatter?: JsonObject;
  /** When the source was written: any date that `Date` reads. */
  readonly date?: string | Date | null;
  /** Pages, sheets and rows; `text` is then normal already. */
  readonly sections?: readonly Section[];
  /** Where texts begin that were added one by one, in order. */
  readonly borders?: readonly number[];
}

/** What one file of a format may take. Memory is limited for all jobs alike (`extraction-kind.ts`). */
export interface ExtractorLimits {
  /** Milliseconds, from the start of the work. */
  readonly ms: number;
  /** Bytes of the text in UTF-8. */
  readonly outputBytes: number;
}

interface FormatDeclaration {
  /** Name of the format. */
  readonly kind: string;
  /** Type of a document of this format; absent: `text`. */
  readonly type?: DocumentType;
  /** File extensions, without the dot. */
  readonly extensions: readonly string[];
  readonly mediaTypes: readonly string[];
  /** Document types of the contract by which a caller can ask for this format. */
  readonly fileTypes: readonly string[];
  readonly limits: ExtractorLimits;
  /** Takes minutes rather than seconds, so it has processes of its own: other files do not wait for it. */
  readonly isSlow?: true;
}

/** A format of texts: its bytes are decoded before it is read. */
interface TextExtractor extends FormatDeclaration {
  readonly reads: 'text';
  /**
   * A parser is loaded by the first call.
   * @param url where the source was found; absent: it was sent
   */
  toText(text: string, url?: string): ReadableText | Promise<ReadableText>;
}

/** A format that is found by its content alone. */
export interface FileExtractor extends FormatDeclaration {
  readonly reads: 'bytes';
  /** Whether a file is of this format. `bytes` may be its beginning, of at least 64 KiB unless the file is shorter. */
  detects(bytes: Uint8Array): boolean;
  /**
   * A parser is loaded by the first call.
   * @throws ExtractionError; MissingResourceError
   */
  toText(bytes: Uint8Array, context: ExtractionContext): ReadableText | Promise<ReadableText>;
  /**
   * The pictures for whose texts `toText` asks by these names, in this order. Null: it cannot be decoded. Absent: the
   * format holds none.
   * @throws ExtractionError
   */
  pictures?(bytes: Uint8Array, names: readonly string[]): AsyncIterable<Picture | null>;
}

/** How one format becomes text; declared in one file and registered by one line in `registry.ts`. */
export type Extractor = TextExtractor | FileExtractor;

const MIB = 1024 * 1024;

/** Of formats that need no more. */
export const COMMON_LIMITS: ExtractorLimits = { ms: 120_000, outputBytes: 512 * MIB };

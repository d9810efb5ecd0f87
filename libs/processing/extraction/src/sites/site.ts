import type { JsonObject } from '#platform/kernel';
import type { ReadableText } from '../extractors/extractor.ts';
import type { DocumentType, SourceDetails } from '../port.ts';

/** What was fetched for a URL of a site. */
export interface FetchedPart {
  readonly bytes: Uint8Array;
  readonly contentType: string | null;
  /** As the server names it. */
  readonly fileName: string | null;
  /** Where it was found, after redirects. */
  readonly url: string;
  /** What the part before has said; null: this is the first part. */
  readonly before: JsonObject | null;
}

/** What a site says. */
export type SiteAnswer =
  | { readonly readable: ReadableText }
  /** The wanted text is at another address; `before` is given to what reads it. */
  | { readonly next: string; readonly before: JsonObject }
  /** The bytes are a file, to be read by what they are. `otherwise`: why there is no text, if no extractor reads it. */
  | { readonly file: SourceDetails; readonly otherwise: string }
  /** A sentence with the reason, and one that says what to do. */
  | { readonly unavailable: string };

/**
 * A site of the web whose pages do not hold the text themselves; declared in one file and registered by one line in
 * `registry.ts`. `read` runs in a child process, the rest in the process that fetches.
 */
export interface Site {
  readonly name: string;
  /** Of its documents. */
  readonly type: DocumentType;
  /** Returns the address that is fetched for a URL. Null: the URL is not one of these pages. */
  addressOf(url: URL): string | null;
  /** What a caller can do if the address cannot be fetched: a sentence. */
  readonly advice: string;
  /** @throws ExtractionError */
  read(part: FetchedPart): SiteAnswer | Promise<SiteAnswer>;
}

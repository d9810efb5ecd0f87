/** The text of a source, with its title if the format has one. */
export interface Readable {
  readonly text: string;
  /** Null: the title is taken from the text. */
  readonly title: string | null;
}

/** How one format becomes text; declared in one file and registered by one line in `registry.ts`. */
export interface Extractor {
  /** Name of the format. */
  readonly kind: string;
  /** File extensions, without the dot. */
  readonly extensions: readonly string[];
  readonly mediaTypes: readonly string[];
  /** Document types of the contract by which a caller can ask for this format. */
  readonly fileTypes: readonly string[];
  /** A parser is loaded by the first call. */
  toText(text: string): Readable | Promise<Readable>;
}

/** Where in its source a passage stands (contract §2.2). Only what is known is present. A type, so that events can hold it. */
export type Location = {
  /** From 1. */
  readonly page?: number;
  readonly sheet?: string;
  /** Number of the row in its sheet or file, from 1. */
  readonly row?: number;
  readonly startSeconds?: number;
  readonly heading?: string;
  /** When it was said or noted: ISO 8601 date or time. */
  readonly date?: string;
};

/** A turn of a conversation. `words`: UTF-16 code unit at which the words begin, behind the name of the speaker. */
export type SectionTurn = { readonly speaker: string; readonly words: number };

/**
 * `[start, location]`: from this UTF-16 code unit of the extracted text on, up to the next section, passages stand here. With
 * `row`, each later line that is a record (`- …`) is in the next row. With a turn, one begins here; null: a text that nobody
 * says; absent: what began before goes on.
 */
export type Section =
  | readonly [start: number, location: Location]
  | readonly [start: number, location: Location, turn: SectionTurn | null];

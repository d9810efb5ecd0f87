import type { EventOf, Metadata } from '#platform/kernel';

/** Dates of what a memory says. ISO 8601. */
export type TemporalContext = { readonly documentDate: string | null; readonly eventDate: readonly string[] | null };

/** One version of a memory, as its event holds it. */
export type VersionPayload = {
  /** Of this version. That of the first one is the id of the memory and of its stream. */
  readonly id: string;
  /** At most 10,000 characters, so that it needs no blob. */
  readonly text: string;
  readonly isStatic: boolean;
  readonly metadata: Metadata | null;
  /** ISO 8601. Null: it does not expire. */
  readonly forgetAfter: string | null;
  /** Why it expires. */
  readonly forgetReason: string | null;
  readonly temporalContext: TemporalContext | null;
  /** BCP 47. Null: not known. */
  readonly language: string | null;
  /** When it was recorded first, if it comes from another installation. ISO 8601. */
  readonly recordedAt?: string;
};

/** A caller records a memory that belongs to no document. The first event of its stream. */
export type MemoryRecorded = { readonly contentVersion: number } & EventOf<'MemoryRecorded', VersionPayload>;

/**
 * A caller changes or forgets a memory that was formed from a document. The first event of its stream, which follows the
 * document: without its passage there, nothing of it is found, and it is erased with the document.
 */
export type PassageTouched = { readonly contentVersion: number } & EventOf<
  'PassageTouched',
  {
    /** Of the passage, of the first version, and of the stream. */
    readonly id: string;
    readonly documentId: string;
    /** Hashes of its sentences (`sentencesOf`), by which decisions about it hold for the document. */
    readonly sentences: readonly string[];
  }
>;

/** The memory has another version. Of the versions before it, nothing changes. */
export type MemoryRevised = { readonly contentVersion: number } & EventOf<'MemoryRevised', VersionPayload>;

export type MemoryForgotten = EventOf<'MemoryForgotten', { readonly reason: string | null }>;

/** The memory is no longer forgotten, and no longer expired if it was. */
export type MemoryRestored = EventOf<'MemoryRestored', null>;

/**
 * A text for its document says some sentences again of a memory that is forgotten or has expired. The document shows them from
 * then on; the memory stays as it is.
 */
export type SentencesRestored = EventOf<
  'SentencesRestored',
  {
    /** Hashes, as in `PassageTouched`. */
    readonly sentences: readonly string[];
  }
>;

/** The time until which the latest version holds is over. Searches know this by themselves; followers of the feed do not. */
export type MemoryExpired = EventOf<'MemoryExpired', null>;

export type MemoryEvent =
  | MemoryRecorded
  | PassageTouched
  | MemoryRevised
  | MemoryForgotten
  | MemoryRestored
  | SentencesRestored
  | MemoryExpired;

import type { UnitVectors } from '#features/search';
import type { FormerTags, JsonObject, Location, Metadata, OrganizationId } from '#platform/kernel';
import type { QuantizedVector } from '#ports/vector-store';

export const STAGES = ['queued', 'extracting', 'chunking', 'embedding', 'indexing', 'done', 'failed'] as const;
export type Stage = (typeof STAGES)[number];

/** Types of documents (contract §2.1). */
export const DOCUMENT_TYPES = [
  ...['text', 'pdf', 'tweet', 'google_doc', 'google_slide', 'google_sheet', 'image', 'video', 'audio', 'notion_doc'],
  ...['webpage', 'onedrive', 'github_markdown', 'granola'],
] as const;

export interface ProcessingError {
  readonly stage: string;
  readonly code: string;
  readonly message: string;
  /** The weights or the program that was missing. */
  readonly resource?: string;
}

/** A unit of a document that searches leave out, from a moment on: milliseconds since the epoch, 0: always. */
export type LeftUnit = readonly [kind: UnitKind, ordinal: number, from: number];

/** What of a document's units is left out because its memories are forgotten, expired, or have rows of their own. */
export interface Cuts {
  readonly leftOut: readonly LeftUnit[];
  /** Rows of what remains of such units (`Piece`), and what changes when the row does. */
  readonly pieces: readonly NamedPiece[];
}

export type NamedPiece = readonly [
  id: string,
  fingerprint: string,
  kind: UnitKind,
  ordinal: number,
  from: number,
  until: number | null,
];

/** Milliseconds since the epoch. */
interface Moments {
  readonly from: number;
  /** Null: for ever. */
  readonly until: number | null;
}

/**
 * What remains of a unit for a time, an earlier version of a memory, or units that have left a document. Milliseconds since the
 * epoch.
 */
interface PieceOf extends Moments {
  readonly documentId: string;
  /** Of the document. */
  readonly type: string;
  /** Absent: the row has units of its own, with their own ids, that have left the document. */
  readonly unitId?: string;
  readonly ordinal: number;
  /** It is of the past, and only a question about a past time finds it: one about a time between `from` and `until`. */
  readonly isFormer?: true;
  /** It remains of a unit that has left its document, for questions that name a time of these by `cutAt`. */
  readonly cut?: Moments;
}

/** What the row of a memory that was recorded directly, or that callers have changed or forgotten, has beside that of a document. Times as ISO 8601 unless noted. */
export interface RowMemory {
  /** From 1. */
  readonly version: number;
  readonly isStatic: boolean;
  readonly isForgotten: boolean;
  readonly forgetAfter: string | null;
  readonly forgetReason: string | null;
  readonly temporalContext: {
    readonly documentDate: string | null;
    readonly eventDate: readonly string[] | null;
  } | null;
  /** From when on it is left out of answers: milliseconds since the epoch, 0 if it is forgotten. Null: never. */
  readonly inactiveFrom: number | null;
  /** When it is to be recorded that it has expired: milliseconds since the epoch. Null: never, or it is recorded. */
  readonly expiresAt: number | null;
  /** Of the text of the latest version. */
  readonly textHash: string;
  /** The document that it was formed from. Absent: it was recorded directly. */
  readonly documentId?: string;
  /** For which dates the version counts among those of its memory: milliseconds since the epoch. Null: for all later ones. */
  readonly valid?: { readonly from: number; readonly until: number | null };
}

/** A live document: the fold of its stream. Times are milliseconds since the epoch. */
export interface DocumentRow {
  readonly organization: OrganizationId;
  readonly id: string;
  readonly customId: string | null;
  /** In the order given; never empty. */
  readonly tags: readonly string[];
  /** Those before changes of the tags, by their times, the first one first; never empty. Absent: they have never changed. */
  readonly formerTags?: readonly FormerTags[];
  readonly metadata: Metadata | null;
  /** Of a document, or of the one that a memory was formed from: the values of its front matter. Absent: it has none. */
  readonly frontMatter?: JsonObject;
  readonly stage: Stage;
  readonly error: ProcessingError | null;
  readonly contentVersion: number;
  readonly title: string | null;
  readonly summary: string | null;
  /**
   * One of `DOCUMENT_TYPES`; `memory` for a memory that was recorded directly, `passage` for one that was formed from a
   * document, `piece` for what remains of a unit, `former` for what is of the past.
   */
  readonly type: string;
  /** Absent: a document. */
  readonly memory?: RowMemory;
  /** Present if memories of the document have rows of their own, or had. */
  readonly cuts?: Cuts;
  /** Present if the views may have rows of units that have left the document. */
  readonly hasFormers?: true;
  /** Absent: not a piece. Only the views themselves know these rows. */
  readonly piece?: PieceOf;
  readonly url: string | null;
  readonly source: string | null;
  readonly filepath: string | null;
  readonly taskType: 'memory' | 'superrag';
  /** ISO 8601 date or time. Null: unknown. */
  readonly documentDate: string | null;
  /** BCP 47. Null: unknown. */
  readonly language: string | null;
  readonly author: string | null;
  readonly canonicalUrl: string | null;
  /**
   * Vector spaces of its vectors in the index, at most two: its own, and one that a question in another language is asked in.
   * Empty: indexed by words alone, or not yet.
   */
  readonly vectorSpaces: readonly string[];
  /** Whether a summary of the present content is recorded; there may be nothing to say. Absent: it is not. */
  readonly isSummarized?: true;
  /** Of the content, while the document is processed: bytes of a file, characters of a text. */
  readonly size?: number;
  /** Of what was sent: bytes of a file, characters of a text, or of all versions of a memory. Absent: none. */
  readonly storedBytes?: number;
  /** Hash of the request that added it, by which a retry of this request finds it. Absent: another name does. */
  readonly sent?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Revision of the last event of its stream that this row reflects. */
  readonly revision: number;
}

export type UnitKind = 'chunk' | 'memory';

/** A searchable piece of a document. */
export interface Unit {
  readonly id: string;
  readonly kind: UnitKind;
  /** Index among the units of its kind in the document, from 0. */
  readonly ordinal: number;
  readonly text: string;
  readonly speaker: string | null;
  /** Where it stands in the source of the document. Absent: not known. */
  readonly location?: Location;
}

/** The vectors of a unit that has some. */
export type IndexedUnitVectors = UnitVectors & { readonly bare: QuantizedVector };

/** All units of a document; they replace those that it had. */
export interface UnitSet {
  readonly units: readonly Unit[];
  /** Words in front of every wide form: the document's date. */
  readonly header: string;
  /** Of the words, as in {@link DocumentRow}. Absent: as English. */
  readonly language?: string | null;
  /** In the order of `units`, null for a unit that has none yet; null: indexed by words alone. */
  readonly vectors: readonly (IndexedUnitVectors | null)[] | null;
  /** In the second space of the row, in the order of `units`. Absent or null: there are none. */
  readonly second?: readonly IndexedUnitVectors[] | null;
}

/** A row of what remains of a unit, which is its only one. */
export interface Piece {
  readonly row: DocumentRow;
  readonly units: UnitSet;
}

/** Single units of a document; the others stay as they are. The document has no second space afterwards. */
export interface UnitChanges {
  /** Added, or changed under the id that they have. The ordinals of each kind run from 0 without a gap afterwards. */
  readonly put: readonly { readonly unit: Unit; readonly vectors: IndexedUnitVectors | null }[];
  /** Ids. */
  readonly remove: readonly string[];
  /** As in {@link UnitSet}. */
  readonly header: string;
  /** As in {@link UnitSet}. */
  readonly language?: string | null;
}

export type DocumentChange =
  | {
      readonly kind: 'upsert';
      readonly row: DocumentRow;
      /** Absent: the units stay, under the tags of the row. */
      readonly units?: UnitSet | UnitChanges;
      /** All that the cuts of the row name; those with the fingerprint of the stored row are not written again. */
      readonly pieces?: readonly Piece[];
    }
  | {
      readonly kind: 'delete';
      readonly organization: OrganizationId;
      readonly id: string;
      /** Revision of the deletion: older changes have no effect, whenever they arrive. */
      readonly revision: number;
    };

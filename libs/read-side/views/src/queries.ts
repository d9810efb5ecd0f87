import type { Evidence, FeatureValues, Filter } from '#features/search';
import type { OrganizationId, Scope, TagSelection } from '#platform/kernel';
import type { DocumentRow, Stage, Unit, UnitKind } from './documents.ts';

/** What the views are asked, and what they answer. */

export interface DocumentQuery {
  readonly scope: Scope;
  readonly filter: Filter | null;
  /** Exact, or a prefix if it ends in `/`. */
  readonly filepath: string | null;
  /** Leaves out memories that are forgotten, or expired at this time. Milliseconds since the epoch. Absent: none. */
  readonly activeAt?: number;
  /** Time for which units of documents are cut: milliseconds since the epoch. Absent: whatever is ever cut is left out. */
  readonly cutAt?: number;
  /**
   * What was there at this time: rows that were created by then, and earlier versions of memories in place of later ones.
   * Lists of memories leave out documents that have changed since, and memories of documents with rows of their own: only
   * streams tell what these were. Milliseconds since the epoch. Absent: what is there now.
   */
  readonly asOf?: number;
  /** With `asOf`: only rows that had one of these tags then. The scope is about the tags of today. Absent: any. */
  readonly tagsThen?: TagSelection;
  /**
   * What was so on this date, whenever it was recorded: of each memory the version that counts for the date, and of documents
   * those that are of this date or an earlier one. Not together with `asOf`. Milliseconds since the epoch. Absent: any date.
   */
  readonly validAt?: number;
}

/**
 * Kinds of rows in an answer. `memories`: those with rows of their own. `sources`: documents, and memories that were recorded
 * directly, which have tags of their own.
 */
export type HeldKind = 'documents' | 'memories' | 'both' | 'sources';

export interface DocumentListQuery extends DocumentQuery {
  /** Default: `documents`. */
  readonly holds?: HeldKind;
  /** Only memories with one of these texts, in whatever form (`foldedText`). */
  readonly texts?: readonly string[] | null;
  readonly stages: readonly Stage[] | null;
  /** Only from one of these. Default: from any. */
  readonly sources?: readonly string[] | null;
  /** Only of one of these types. Default: of any. */
  readonly types?: readonly string[] | null;
  /** Only with one of these. Default: with any or none. */
  readonly customIds?: readonly string[] | null;
  /** Only those that were created at this time at the latest. Milliseconds since the epoch. Default: at any. */
  readonly createdUntil?: number | null;
  /** Only those that changed last at this time at the latest. Default: at any. */
  readonly updatedUntil?: number | null;
  /** Only those that have changed after this time. Default: at any. */
  readonly updatedAfter?: number | null;
  readonly sort: 'createdAt' | 'updatedAt';
  readonly order: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}

/** A question, embedded in one vector space. */
export interface QuestionVector {
  readonly space: string;
  /** Of unit length. */
  readonly values: Float32Array;
  /** Vector of the question's core (`coreOf`). Absent: the base formula ranks alone. */
  readonly core?: Float32Array;
}

export interface UnitSearchQuery extends DocumentQuery {
  readonly kind: UnitKind;
  readonly question: string;
  /**
   * Of different spaces. Empty: search by words alone. Each document is compared in the first of these spaces in which it has
   * vectors, and one without vectors of these spaces is found by its words.
   */
  readonly vectors: readonly QuestionVector[];
  /** Only this document. */
  readonly documentId: string | null;
  /** Of what the hits are. Default: `both`. */
  readonly holds?: HeldKind;
  readonly limit: number;
}

export interface NewestMemoriesQuery extends DocumentQuery {
  /** True: only memories that were recorded as lasting facts. False: without them. Absent: all. */
  readonly isStatic?: boolean;
}

export type MemoryListQuery = DocumentQuery &
  Pick<DocumentListQuery, 'sort' | 'order' | 'offset' | 'limit'> & {
    /**
     * Lists only the oldest of the active memories that say the same (`statementOf`). Needs `cutAt`, the
     * time for which they are active; not together with `asOf` or `validAt`.
     */
    readonly isGrouped?: true;
  };

export interface ListedUnit {
  readonly unit: Unit;
  readonly document: DocumentRow;
  /** There are later ones that say the same, which the list leaves out. */
  readonly isRepeated?: true;
}

export interface UnitHit {
  readonly unit: Unit;
  /** Fused score of the base formula; comparable within one answer only. */
  readonly score: number;
  readonly evidence: Evidence;
  /** Vector space in which it was compared. Null: by words alone. */
  readonly space: string | null;
  /** By which the ranker has ordered the unit. Null: the base formula alone has ranked it. */
  readonly features: FeatureValues | null;
  readonly document: DocumentRow;
  /** The text is what remains of the unit. */
  readonly isCut?: true;
  /** The unit was in the document at the time of the question, and has left it since. */
  readonly hasLeft?: true;
}

export interface Totals {
  readonly documents: number;
  readonly memories: number;
}

/** Terms by their hashes, which are distinct. */
export interface TermQuery {
  readonly scope: Scope;
  readonly kind: UnitKind;
  readonly terms: readonly number[];
}

export interface LanguageTotals {
  /** One of `ANALYSED_LANGUAGES`. */
  readonly language: string;
  /** At least one. */
  readonly documents: number;
}

/** A vector space in a scope. */
export interface HeldSpace {
  readonly space: string;
  /** Whether it is the own space of a document, which is found by vectors of this space alone. */
  readonly isOwn: boolean;
}

/** What the documents of a tag come to. Times are milliseconds since the epoch. */
export interface TagTotals {
  readonly tag: string;
  /** 0: the tag has only memories that were recorded directly. */
  readonly documents: number;
  /** Without those that are forgotten or expired. */
  readonly memories: number;
  /** When the oldest of the documents was added. */
  readonly createdAt: number;
  /** When one of the documents changed last. */
  readonly updatedAt: number;
}

export interface UnfinishedDocument {
  readonly organization: OrganizationId;
  readonly id: string;
  readonly stage: Stage;
  readonly contentVersion: number;
  readonly tag: string;
  /** Of the content: bytes of a file, characters of a text. 0: not known. */
  readonly size: number;
  readonly updatedAt: number;
  /** As in its row. */
  readonly isSummarized?: true;
  readonly tags: readonly string[];
  /** As in its row. Absent: unknown. */
  readonly language?: string;
  /** It has vectors in a second space. */
  readonly hasSecondSpace?: true;
}

/** A page of a list for the pipeline. */
export interface PipelinePage {
  /** Last document of the page before. Null: the first page. */
  readonly after: UnfinishedDocument | null;
  readonly limit: number;
}

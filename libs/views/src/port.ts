import type { Position } from '#event-store';
import type { OrganizationId, Scope } from '#kernel';
import type { Evidence, FeatureValues, Filter } from '#search';
import type { DocumentRow, Stage, Unit, UnitKind } from './documents.ts';
import type { LeftOutRows, RowQuery, StreamRow } from './rows.ts';

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
  /**
   * What was so on this date, whenever it was recorded: of each memory the version that counts for the date, and of documents
   * those that are of this date or an earlier one. Not together with `asOf`. Milliseconds since the epoch. Absent: any date.
   */
  readonly validAt?: number;
}

/**
 * What an answer holds; `memories`: those with rows of their own; `sources`: documents, and memories that were recorded
 * directly, which carry their tags by themselves.
 */
export type Held = 'documents' | 'memories' | 'both' | 'sources';

export interface DocumentListQuery extends DocumentQuery {
  /** Default: `documents`. */
  readonly holds?: Held;
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
  readonly holds?: Held;
  readonly limit: number;
}

export interface NewestMemoriesQuery extends DocumentQuery {
  /** True: only memories that were recorded as lasting facts. False: without them. Absent: all. */
  readonly isStatic?: boolean;
}

export type MemoryListQuery = DocumentQuery &
  Pick<DocumentListQuery, 'sort' | 'order' | 'offset' | 'limit'> & {
    /**
     * Of active memories that say the same (`statementOf`), only the one that was created first is listed. Needs `cutAt`, the
     * time for which they are active; not together with `asOf` or `validAt`.
     */
    readonly isGrouped?: true;
  };

export interface ListedUnit {
  readonly unit: Unit;
  readonly document: DocumentRow;
  /** It stands for others that say the same. */
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

/**
 * The read side of the views. Every call names its scope, and every row is checked against it again before it is
 * returned.
 */
export interface ViewsReader {
  checkpoint(): Promise<Position | null>;
  /**
   * Returns the vector space that the views were created for. Null: unknown. Rows name the space of their own vectors.
   */
  vectorSpace(): Promise<string | null>;
  documents(scope: Scope, ids: readonly string[]): Promise<readonly DocumentRow[]>;
  /** Returns a page with the exact total; ties are broken by id. */
  list(query: DocumentListQuery): Promise<{ readonly rows: readonly DocumentRow[]; readonly total: number }>;
  /** Returns the documents with one of these values of `sent` that were added between two times, the newest first. */
  addedAs(
    scope: Scope,
    sent: readonly string[],
    between: { readonly since: number; readonly until: number },
  ): Promise<readonly DocumentRow[]>;
  /**
   * Returns the best units first by fused score, ties broken by document and ordinal. With the core of the question, the
   * ranker reorders those that carry speaker and document date.
   */
  search(query: UnitSearchQuery): Promise<readonly UnitHit[]>;
  /**
   * Returns in how many units of the scope each term occurs. Of many terms, an engine may count those only that the first
   * ones do not outweigh; the others have 0.
   */
  termFrequencies(query: TermQuery): Promise<readonly number[]>;
  units(
    scope: Scope,
    wanted: readonly { readonly documentId: string; readonly kind: UnitKind; readonly ordinals: readonly number[] }[],
  ): Promise<readonly { readonly documentId: string; readonly unit: Unit }[]>;
  /**
   * Returns the tags of the scope that documents carry, by name; other tags of these documents are left out.
   * @param now milliseconds since the epoch
   */
  tags(scope: Scope, now: number): Promise<readonly TagTotals[]>;
  /** Returns how many documents the scope has, and how many memories, of documents or recorded directly. */
  totals(scope: Scope): Promise<Totals>;
  /**
   * Returns all units of one kind of some documents: by document, in the order of their first mention, then by ordinal.
   * @param limit most units in all; those after them are left out
   */
  unitsOf(
    scope: Scope,
    wanted: { readonly documentIds: readonly string[]; readonly kind: UnitKind; readonly limit: number },
  ): Promise<readonly { readonly documentId: string; readonly unit: Unit }[]>;
  /**
   * Returns memories that were formed from documents, by their ids or by their texts in whatever form (`foldedText`), those of
   * the newest documents first; also those that have got rows of their own.
   * @param wanted at most 1,100, as many as a page of a list has
   */
  passages(
    scope: Scope,
    wanted: { readonly ids: readonly string[] } | { readonly texts: readonly string[] },
  ): Promise<readonly { readonly unit: Unit; readonly document: DocumentRow }[]>;
  /** Returns how many documents there are of each type, for types with any. */
  countTypes(scope: Scope): Promise<readonly { readonly type: string; readonly count: number }[]>;
  /**
   * Returns by the rules of which languages other than English the words of documents in a scope are analysed, and how many
   * documents are in each, most documents first. A version before there were such rules analysed all words as English.
   */
  languages(scope: Scope): Promise<readonly LanguageTotals[]>;
  /** Returns those of some vector spaces of which documents in a scope have vectors. */
  heldSpaces(scope: Scope, spaces: readonly string[]): Promise<readonly HeldSpace[]>;
  /** Returns the newest memories, recorded directly or of documents that are done. */
  newestMemories(
    query: NewestMemoriesQuery,
    limit: number,
  ): Promise<readonly { readonly unit: Unit; readonly document: DocumentRow }[]>;
  /**
   * Returns a page of memories with their exact total: by the time of their rows or of their documents, ties by id, and those
   * of one document in the order of its text, or the last one first.
   */
  memories(query: MemoryListQuery): Promise<{
    readonly memories: readonly ListedUnit[];
    readonly total: number;
  }>;
  /**
   * Returns rows of a read model, with their exact total.
   * @throws ReadModelBuildingError
   */
  rows(query: RowQuery): Promise<{ readonly rows: readonly StreamRow[]; readonly total: number }>;
  /** Returns what read models lack, of every organization; of much, the first thousand. For the operator only. */
  leftOut(): Promise<readonly LeftOutRows[]>;
  /** Returns documents neither done nor failed, oldest first, of every organization. For the pipeline only. */
  unfinished(page: PipelinePage): Promise<readonly UnfinishedDocument[]>;
  /** Returns how many documents `unfinished` lists; may be slightly old. */
  countUnfinished(): Promise<number>;
  /** Returns documents that are done but hold no vectors of any of these spaces. For the pipeline only. */
  withoutVectors(page: PipelinePage & { readonly spaces: readonly string[] }): Promise<readonly UnfinishedDocument[]>;
  /** Returns documents that are done and of which no summary is recorded. For the pipeline only. */
  withoutSummary(page: PipelinePage): Promise<readonly UnfinishedDocument[]>;
  /** Returns how many documents `withoutSummary` lists; may be slightly old. */
  countWithoutSummary(): Promise<number>;
  /** Returns memories that have expired by a time, without a record of it, of every organization. For the pipeline only. */
  expired(until: number, limit: number): Promise<readonly UnfinishedDocument[]>;
  close(): Promise<void>;
}

/** The methods of the port, for proxies. */
export const READER_METHODS: Readonly<Record<keyof ViewsReader, true>> = {
  checkpoint: true,
  vectorSpace: true,
  documents: true,
  list: true,
  addedAs: true,
  search: true,
  termFrequencies: true,
  units: true,
  tags: true,
  totals: true,
  unitsOf: true,
  passages: true,
  countTypes: true,
  languages: true,
  heldSpaces: true,
  newestMemories: true,
  memories: true,
  rows: true,
  leftOut: true,
  unfinished: true,
  countUnfinished: true,
  withoutVectors: true,
  withoutSummary: true,
  countWithoutSummary: true,
  expired: true,
  close: true,
};

/** Injection token. */
export const VIEWS_READER = Symbol('ViewsReader');

/** Name of the lease under which the serving views are written and replaced. */
export const VIEWS_LEASE = 'views';

/** Up to where the views reflect the log. */
export interface ViewsProgress {
  /**
   * Resolves with true once the views hold everything up to the position, or with false after the timeout. Of long
   * documents that are not done, the units may follow later.
   * @param timeoutMs 0: returns what is known now
   * @param units also waits until searches find the units of this document, or of all
   */
  reached(
    position: Position | null,
    timeoutMs: number,
    units?: 'all' | { readonly organization: string; readonly id: string },
  ): Promise<boolean>;
}

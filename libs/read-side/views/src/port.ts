import type { OrganizationId, Scope } from '#platform/kernel';
import type { Position } from '#ports/event-store';
import type { DocumentRow, Unit, UnitKind } from './documents.ts';
import type {
  DocumentListQuery,
  HeldSpace,
  LanguageTotals,
  ListedUnit,
  MemoryListQuery,
  NewestMemoriesQuery,
  PipelinePage,
  TagTotals,
  TermQuery,
  Totals,
  UnfinishedDocument,
  UnitHit,
  UnitSearchQuery,
} from './queries.ts';
import type { LeftOutRows, RowQuery, StreamRow } from './rows.ts';

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
  /** Returns how many documents an organization has, and the `storedBytes` of its documents and memories. */
  stored(organization: OrganizationId): Promise<{ readonly documents: number; readonly storedBytes: number }>;
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
  /**
   * Returns the chunks that have an id or exactly a text, those of the newest documents first. One of which sentences are cut is
   * also found by the text that remains of it.
   */
  chunks(
    scope: Scope,
    named: { readonly id: string } | { readonly text: string },
  ): Promise<readonly { readonly documentId: string; readonly unit: Unit }[]>;
  /** Returns how many documents there are of each type, for types with any. */
  countTypes(scope: Scope): Promise<readonly { readonly type: string; readonly count: number }[]>;
  /**
   * Returns by the rules of which languages other than English the words of documents in a scope are analysed, and how many
   * documents are in each, most documents first.
   */
  languages(scope: Scope): Promise<readonly LanguageTotals[]>;
  /** Returns those of some vector spaces of which documents in a scope have vectors. */
  heldSpaces(scope: Scope, spaces: readonly string[]): Promise<readonly HeldSpace[]>;
  /** Returns the newest memories, recorded directly or of documents, also while these are processed again. */
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
  stored: true,
  unitsOf: true,
  passages: true,
  chunks: true,
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

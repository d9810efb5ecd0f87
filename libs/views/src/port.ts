import type { Position } from '#event-store';
import type { Metadata, OrganizationId, Scope } from '#kernel';
import { MnemeError } from '#kernel';
import type { Evidence, Filter } from '#search';
import type { QuantizedVector } from '#vector-cache';

export const STAGES = ['queued', 'extracting', 'chunking', 'embedding', 'indexing', 'done', 'failed'] as const;
export type Stage = (typeof STAGES)[number];

export interface ProcessingError {
  readonly stage: string;
  readonly code: string;
  readonly message: string;
}

/** What is known of one live document; a fold of its stream. Times are milliseconds since the epoch. */
export interface DocumentRow {
  readonly organization: OrganizationId;
  readonly id: string;
  readonly customId: string | null;
  /** In the order in which they were given; never empty. */
  readonly tags: readonly string[];
  readonly metadata: Metadata | null;
  readonly stage: Stage;
  readonly error: ProcessingError | null;
  readonly contentVersion: number;
  readonly title: string | null;
  readonly summary: string | null;
  readonly type: string;
  readonly url: string | null;
  readonly source: string | null;
  readonly filepath: string | null;
  readonly taskType: 'memory' | 'superrag';
  /** ISO 8601 date or time; null: unknown. */
  readonly documentDate: string | null;
  /** Vector spaces of the vectors that the index holds for it; empty: indexed by words alone, or not yet. */
  readonly vectorSpaces: readonly string[];
  /** Of the content, while the document is processed: bytes of a file, characters of a text. */
  readonly size?: number;
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
  /** Place among the units of its kind in the document, from 0. */
  readonly ordinal: number;
  readonly text: string;
  readonly speaker: string | null;
}

export interface IndexedUnitVectors {
  readonly bare: QuantizedVector;
  /** Of the unit with its neighbours and the document's date. */
  readonly wide: QuantizedVector;
}

/** All units of a document, replacing those that stood there. */
export interface UnitSet {
  readonly units: readonly Unit[];
  /** Words that stand in front of every wide form: the document's date. */
  readonly header: string;
  /** In the order of `units`; null: indexed by words alone. */
  readonly vectors: readonly IndexedUnitVectors[] | null;
}

export type DocumentChange =
  | {
      readonly kind: 'upsert';
      readonly row: DocumentRow;
      /** Absent: the units stay as they are (they move along when the tags change). */
      readonly units?: UnitSet;
    }
  | {
      readonly kind: 'delete';
      readonly organization: OrganizationId;
      readonly id: string;
      /** Of the deletion in its stream: what is older changes nothing any more, whenever it arrives. */
      readonly revision: number;
    };

/** A row that the views do not take as it is, however often it is tried. */
export interface RejectedRow {
  readonly organization: string;
  readonly id: string;
  readonly reason: string;
}

/** Nothing of the batch counts; without the rows that are named it may be applied again. */
export class RowRejectedError extends MnemeError {
  override readonly name = 'RowRejectedError';
  override readonly kind = 'permanent';
  override readonly code = 'rows_rejected';
  /** At least one; there may be more than the writer came to. */
  readonly rows: readonly RejectedRow[];

  constructor(rows: readonly RejectedRow[]) {
    const told = rows.map(
      ({ organization, id, reason }) => `document ${id} of organization ${organization}: ${reason}`,
    );
    super(`the views refuse ${told.join('; ')}`);
    this.rows = rows;
  }
}

/** The write side. Only projections hold one. */
export interface ViewsWriter {
  /** Up to where the views reflect the log. Null: nothing yet. */
  checkpoint(): Promise<Position | null>;
  /** As they were made. */
  vectorSpace(): Promise<string | null>;
  /** All changes and the checkpoint in one transaction. @throws RowRejectedError */
  apply(changes: readonly DocumentChange[], checkpoint: Position): Promise<void>;
  /**
   * Where a checkpoint is dear: brings changes ahead of the next `apply`, with which they are found for certain. The
   * checkpoint stays, so after a crash in between they have to be brought again.
   */
  bring?(changes: readonly DocumentChange[]): Promise<void>;
  close(): Promise<void>;
}

export interface DocumentQuery {
  readonly scope: Scope;
  readonly filter: Filter | null;
  /** Exact, or a prefix where it ends in `/`. */
  readonly filepath: string | null;
}

export interface DocumentListQuery extends DocumentQuery {
  readonly stages: readonly Stage[] | null;
  readonly source: string | null;
  readonly customId: string | null;
  readonly sort: 'createdAt' | 'updatedAt';
  readonly order: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}

/** A question, embedded in one vector space. */
export interface QuestionVector {
  readonly space: string;
  /** Unit length. */
  readonly values: Float32Array;
}

export interface UnitSearchQuery extends DocumentQuery {
  readonly kind: UnitKind;
  readonly question: string;
  /** Of different spaces; empty: search by words alone. */
  readonly vectors: readonly QuestionVector[];
  /** Only this document. */
  readonly documentId: string | null;
  readonly limit: number;
}

export interface UnitHit {
  readonly unit: Unit;
  /** Fused score; only good for order within one answer. */
  readonly score: number;
  readonly evidence: Evidence;
  readonly document: DocumentRow;
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
}

/** The read side: every call names its scope, and what it answers is checked against it once more before it leaves. */
export interface ViewsReader {
  checkpoint(): Promise<Position | null>;
  /** The vector space that these views were made for, all at once; null: nobody said. Rows say which they have vectors of. */
  vectorSpace(): Promise<string | null>;
  documents(scope: Scope, ids: readonly string[]): Promise<readonly DocumentRow[]>;
  /** Exact total, ties broken by id. */
  list(query: DocumentListQuery): Promise<{ readonly rows: readonly DocumentRow[]; readonly total: number }>;
  /** Best first by fused score, ties broken by document and ordinal. Deleted documents and other scopes never occur. */
  search(query: UnitSearchQuery): Promise<readonly UnitHit[]>;
  units(
    scope: Scope,
    wanted: readonly { readonly documentId: string; readonly kind: UnitKind; readonly ordinals: readonly number[] }[],
  ): Promise<readonly { readonly documentId: string; readonly unit: Unit }[]>;
  /** Newest first, of documents that are done. */
  newestMemories(
    query: DocumentQuery,
    limit: number,
  ): Promise<readonly { readonly unit: Unit; readonly document: DocumentRow }[]>;
  /** Documents neither done nor failed, oldest first, in every organization: for the pipeline only. */
  unfinished(options: {
    readonly after: UnfinishedDocument | null;
    readonly limit: number;
  }): Promise<readonly UnfinishedDocument[]>;
  /** How many `unfinished` would list in all; may be a moment old. */
  countUnfinished(): Promise<number>;
  /** Documents that are done but hold no vectors of this space: for the pipeline only. */
  withoutVectors(options: {
    readonly space: string;
    readonly after: UnfinishedDocument | null;
    readonly limit: number;
  }): Promise<readonly UnfinishedDocument[]>;
  close(): Promise<void>;
}

/** Up to where the views reflect the log. */
export const VIEWS_READER = Symbol('ViewsReader');

export interface ViewsProgress {
  /**
   * Resolves once the views hold everything up to the position. False: they did not get there in time.
   * @param timeoutMs 0: as far as can be told right now
   */
  reached(position: Position | null, timeoutMs: number): Promise<boolean>;
}

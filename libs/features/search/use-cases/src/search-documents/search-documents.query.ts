import { Query } from '@nestjs/cqrs';
import type { AccessRefusal, RecordContent } from '#features/documents';
import type { AccessScope, Location, Result, Scope } from '#platform/kernel';
import type { DocumentRow } from '#read-side/views';
import type { Explanation, Found, SearchOptions } from '../search-options.ts';

export interface ChunkResult {
  readonly content: string;
  readonly position: number;
  readonly location?: Location;
  readonly score: number;
  readonly isRelevant: boolean;
  readonly explanation: Explanation | null;
}

/** The content is there with `includeFullDocs`. */
export interface DocumentResult extends RecordContent {
  readonly document: DocumentRow;
  readonly score: number;
  readonly chunks: readonly ChunkResult[];
}

/** `POST /v3/search`. */
export class SearchDocuments extends Query<Result<Found<DocumentResult>, AccessRefusal>> {
  readonly scope: Scope;
  readonly options: SearchOptions & {
    readonly chunkThreshold: number;
    readonly documentThreshold: number;
    /** Only this document. An unknown one, and one outside of the search's scope, is `not_found`. */
    readonly document: { readonly scope: AccessScope; readonly idOrCustomId: string } | null;
    readonly onlyMatchingChunks: boolean;
    readonly includeFullDocs: boolean;
  };

  constructor(scope: Scope, options: SearchDocuments['options']) {
    super();
    this.scope = scope;
    this.options = options;
  }
}

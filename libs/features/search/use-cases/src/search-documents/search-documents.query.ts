import { Query } from '@nestjs/cqrs';
import type { AccessRefusal, RecordContent } from '#features/documents';
import type { Location, Principal, Result } from '#platform/kernel';
import type { DocumentRow } from '#read-side/views';
import type { Explanation, SearchOptions, TimedResults } from '../search-options.ts';

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
export class SearchDocuments extends Query<Result<TimedResults<DocumentResult>, AccessRefusal>> {
  readonly principal: Principal;
  /** Those that the request names. Empty: all that the principal may read. */
  readonly tags: readonly string[];
  readonly options: SearchOptions & {
    readonly chunkThreshold: number;
    readonly documentThreshold: number;
    /**
     * Only this document, by internal id, else by customId. An unknown one, and one outside of the search's tags, is `not_found`.
     * Of several with the customId, the tags of the search pick one.
     */
    readonly document: string | null;
    readonly onlyMatchingChunks: boolean;
    readonly includeFullDocs: boolean;
  };

  constructor(principal: Principal, tags: readonly string[], options: SearchDocuments['options']) {
    super();
    this.principal = principal;
    this.tags = tags;
    this.options = options;
  }
}

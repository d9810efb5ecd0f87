import { Query } from '@nestjs/cqrs';
import type { AccessRefusal } from '#documents';
import type { Caller, Result } from '#kernel';
import type { DocumentRow } from '#views';
import type { Explanation, SearchOptions } from '../search-options.ts';

export interface ChunkResult {
  readonly content: string;
  readonly position: number;
  readonly score: number;
  readonly isRelevant: boolean;
  readonly explanation: Explanation | null;
}

export interface DocumentResult {
  readonly document: DocumentRow;
  readonly score: number;
  readonly chunks: readonly ChunkResult[];
  /** With `includeFullDocs`. */
  readonly content: string | null;
}

/** `POST /v3/search`. */
export class SearchDocuments extends Query<Result<readonly DocumentResult[], AccessRefusal>> {
  readonly caller: Caller;
  readonly options: SearchOptions & {
    readonly chunkThreshold: number;
    readonly documentThreshold: number;
    /** Internal id, else customId; an unknown one is `not_found`. */
    readonly documentId: string | null;
    readonly onlyMatchingChunks: boolean;
    readonly includeFullDocs: boolean;
  };

  constructor(caller: Caller, options: SearchDocuments['options']) {
    super();
    this.caller = caller;
    this.options = options;
  }
}

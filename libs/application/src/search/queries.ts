import { Query } from '@nestjs/cqrs';
import type { Caller, Result, TagSelection } from '#kernel';
import type { Filter } from '#search';
import type { DocumentRow, Unit } from '#views';

export interface SearchOptions {
  /** `*` lists by recency. */
  readonly question: string;
  readonly tags: TagSelection;
  readonly filter: Filter | null;
  readonly filepath: string | null;
  readonly limit: number;
}

/** Why a passage was found: the parts of its score, for people and for `explain`. */
export interface Explanation {
  /** Cosine of the passage and of the passage with its neighbours; null: searched by words alone. */
  readonly cosine: number | null;
  readonly cosineWide: number | null;
  /** Share of the question's terms that stand in the passage, weighted by rarity, 0–1. */
  readonly coverage: number;
}

export interface FoundChunk {
  readonly content: string;
  readonly position: number;
  readonly score: number;
  readonly isRelevant: boolean;
  readonly explanation: Explanation | null;
}

export interface FoundDocument {
  readonly document: DocumentRow;
  readonly score: number;
  readonly chunks: readonly FoundChunk[];
  /** With `includeFullDocs`. */
  readonly content: string | null;
}

/** `POST /v3/search`. */
export class SearchDocuments extends Query<Result<readonly FoundDocument[], 'not_found'>> {
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

export interface FoundMemory {
  readonly unit: Unit;
  readonly similarity: number;
  readonly document: DocumentRow;
  readonly explanation: Explanation | null;
}

export type SearchMode = 'memories' | 'hybrid' | 'documents';

/** `POST /v4/search`. */
export class SearchMemories extends Query<readonly FoundMemory[]> {
  readonly caller: Caller;
  readonly options: SearchOptions & { readonly mode: SearchMode; readonly threshold: number };

  constructor(caller: Caller, options: SearchMemories['options']) {
    super();
    this.caller = caller;
    this.options = options;
  }
}

export interface Profile {
  readonly static: readonly string[];
  /** Newest first. */
  readonly dynamic: readonly string[];
}

/** What is known about one tag: lasting facts and recent activity. */
export class GetProfile extends Query<Profile> {
  readonly caller: Caller;
  readonly options: {
    readonly tag: string;
    readonly filter: Filter | null;
    readonly sections: readonly ProfileSection[];
  };

  constructor(caller: Caller, options: GetProfile['options']) {
    super();
    this.caller = caller;
    this.options = options;
  }
}

export type ProfileSection = 'static' | 'dynamic' | 'buckets';

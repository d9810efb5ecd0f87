import { Query } from '@nestjs/cqrs';
import type { MemoryVersion } from '#features/memories';
import type { Principal } from '#platform/kernel';
import type { DocumentRow, Unit } from '#read-side/views';
import type { Explanation, SearchOptions, TimedResults } from '../search-options.ts';

/** A chunk of the document of a result that the search has found as well. */
export interface FoundChunk {
  readonly unit: Unit;
  readonly documentId: string;
  readonly similarity: number;
}

/** Several results about one subject, joined. */
export interface Aggregate {
  /** Their texts by date, at most 1,000 characters. */
  readonly text: string;
  /** From which they come, that of the best one first. */
  readonly documents: readonly DocumentRow[];
}

export interface MemoryResult {
  readonly unit: Unit;
  readonly similarity: number;
  /** Of the document, or of the memory if it has a row of its own. */
  readonly document: DocumentRow;
  /** The document that a memory with a row of its own was formed from. Absent: none. */
  readonly source?: DocumentRow;
  readonly explanation: Explanation | null;
  /** Present: unit, document and similarity are those of the best of the results that are joined. */
  readonly aggregate?: Aggregate;
  /** The best first. Absent: not wanted. */
  readonly chunks?: readonly FoundChunk[];
  /** The memories around it in its document. Absent: not wanted. */
  readonly related?: readonly Unit[];
  /** Present: the memory is forgotten or expired. */
  readonly isInactive?: true;
  /** Earlier versions, the newest first. Absent: not wanted. */
  readonly parents?: readonly MemoryVersion[];
}

export type SearchMode = 'memories' | 'hybrid' | 'documents';

/** What results have beyond themselves. */
export interface MemorySearchExtras {
  /** Results that join others. */
  readonly aggregates: boolean;
  readonly chunks: boolean;
  readonly related: boolean;
}

export const NO_EXTRAS: MemorySearchExtras = { aggregates: false, chunks: false, related: false };

/** `POST /v4/search`. */
export class SearchMemories extends Query<TimedResults<MemoryResult>> {
  readonly principal: Principal;
  /** Those that the request names. Empty: all that the principal may read. */
  readonly tags: readonly string[];
  readonly options: SearchOptions & {
    readonly mode: SearchMode;
    readonly threshold: number;
    readonly extras: MemorySearchExtras;
    /** Memories that are forgotten or expired are found too. Default: false. */
    readonly includeInactive?: boolean;
    /** Of each memory the version that counts for this date: milliseconds since the epoch. Not with `asOf`. Null or absent: any. */
    readonly validAt?: number | null;
    /** Of results with one text not only the best one. Default: false. */
    readonly withRepetition?: boolean;
  };

  constructor(principal: Principal, tags: readonly string[], options: SearchMemories['options']) {
    super();
    this.principal = principal;
    this.tags = tags;
    this.options = options;
  }
}

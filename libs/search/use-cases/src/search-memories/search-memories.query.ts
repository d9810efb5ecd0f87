import { Query } from '@nestjs/cqrs';
import type { Scope } from '#kernel';
import type { DocumentRow, Unit } from '#views';
import type { Explanation, Found, SearchOptions } from '../search-options.ts';

export interface MemoryResult {
  readonly unit: Unit;
  readonly similarity: number;
  readonly document: DocumentRow;
  readonly explanation: Explanation | null;
}

export type SearchMode = 'memories' | 'hybrid' | 'documents';

/** `POST /v4/search`. */
export class SearchMemories extends Query<Found<MemoryResult>> {
  readonly scope: Scope;
  readonly options: SearchOptions & {
    readonly mode: SearchMode;
    readonly threshold: number;
    /** Memories that are forgotten or expired are found too. Default: false. */
    readonly includeInactive?: boolean;
  };

  constructor(scope: Scope, options: SearchMemories['options']) {
    super();
    this.scope = scope;
    this.options = options;
  }
}

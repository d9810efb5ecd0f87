import { Query } from '@nestjs/cqrs';
import type { Filter } from '#features/search';
import type { Principal } from '#platform/kernel';
import type { Stage } from '#read-side/views';
import type { ListedView } from '../document-view.ts';

export interface DocumentListOptions {
  readonly filter: Filter | null;
  readonly filepath: string | null;
  readonly stages: readonly Stage[] | null;
  /** Null: from any. */
  readonly sources: readonly string[] | null;
  /** Null: with any or none. */
  readonly customIds: readonly string[] | null;
  readonly includeContent: boolean;
  readonly sort: 'createdAt' | 'updatedAt';
  readonly order: 'asc' | 'desc';
  /** From 1. */
  readonly page: number;
  readonly limit: number;
}

/** Shows every write that this process has acknowledged. */
export class ListDocuments extends Query<{ readonly documents: readonly ListedView[]; readonly total: number }> {
  constructor(
    readonly principal: Principal,
    /** Those that the request names. Empty: all that the principal may read. */
    readonly tags: readonly string[],
    readonly options: DocumentListOptions,
  ) {
    super();
  }
}

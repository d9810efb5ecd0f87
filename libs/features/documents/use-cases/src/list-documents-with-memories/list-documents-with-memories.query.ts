import { Query } from '@nestjs/cqrs';
import type { PagedOptions } from '#features/documents/requests';
import type { Principal } from '#platform/kernel';
import type { DocumentWithMemories } from '../document-memories.ts';

export interface MemoryListOptions extends PagedOptions {
  /** Null: from any. */
  readonly sources: readonly string[] | null;
  /** Null: of any. */
  readonly types: readonly string[] | null;
}

/** Shows every write that this process has acknowledged. */
export class ListDocumentsWithMemories extends Query<{
  readonly documents: readonly DocumentWithMemories[];
  readonly total: number;
}> {
  constructor(
    readonly principal: Principal,
    /** Those that the request names. Empty: all that the principal may read. */
    readonly tags: readonly string[],
    readonly options: MemoryListOptions,
  ) {
    super();
  }
}

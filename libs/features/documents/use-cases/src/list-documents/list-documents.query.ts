import { Query } from '@nestjs/cqrs';
import type { PagedOptions } from '#features/documents/requests';
import type { Filter } from '#features/search';
import type { Principal } from '#platform/kernel';
import type { Stage } from '#read-side/views';
import type { ListedView } from '../document-view.ts';

export interface DocumentListOptions extends PagedOptions {
  readonly filter: Filter | null;
  readonly filepath: string | null;
  readonly stages: readonly Stage[] | null;
  /** Null: from any. */
  readonly sources: readonly string[] | null;
  /** Null: with any or none. */
  readonly customIds: readonly string[] | null;
  readonly includeContent: boolean;
  /** Milliseconds since the epoch: the documents as they were then, without those that are deleted today. Null: as they are now. */
  readonly asOf: number | null;
}

/** Shows every write that this process has acknowledged. With `asOf`, it may throw a `TooManyChangedError`. */
export class ListDocuments extends Query<{ readonly documents: readonly ListedView[]; readonly total: number }> {
  constructor(
    readonly principal: Principal,
    /** Those that the request names. Empty: all that the principal may read; with `asOf`, those that a document had then. */
    readonly tags: readonly string[],
    readonly options: DocumentListOptions,
  ) {
    super();
  }
}

import { Query } from '@nestjs/cqrs';
import type { PagedOptions } from '#features/documents/requests';
import type { VersionView } from '#features/memories';
import type { Filter } from '#features/search';
import type { Principal } from '#platform/kernel';
import type { DocumentRow } from '#read-side/views';

export interface ListedMemory {
  /** Of the memory, or of the document that it was formed from. */
  readonly row: DocumentRow;
  /** Ids of the documents that say it, the first one first. */
  readonly documentIds: readonly string[];
  /** Forgotten or expired. */
  readonly isInactive: boolean;
  /** The listed version comes first, earlier ones follow. */
  readonly versions: readonly VersionView[];
  /** It is not the latest one. Only with `validAt`. */
  readonly isFormer?: true;
}

export interface MemoryListOptions extends PagedOptions {
  readonly filter: Filter | null;
  /** Forgotten and expired ones too. */
  readonly includeInactive: boolean;
  /** Of each the version that counts for this date: milliseconds since the epoch. Null or absent: the latest one. */
  readonly validAt?: number | null;
  /** Milliseconds since the epoch: the memories as they were then, each by its latest version of then. Null: as they are now. */
  readonly asOf: number | null;
}

/**
 * Lists memories, recorded directly or formed from documents, each by its latest version. Without `validAt`, memories that say the
 * same are listed as one: the oldest of them. What is forgotten today is so in every past. With `asOf`, it may throw a
 * `TooManyChangedError`.
 */
export class ListMemories extends Query<{ readonly memories: readonly ListedMemory[]; readonly total: number }> {
  constructor(
    readonly principal: Principal,
    /** Those that the request names. Empty: all that the principal may read; with `asOf`, those that a memory had then. */
    readonly tags: readonly string[],
    readonly options: MemoryListOptions,
  ) {
    super();
  }
}

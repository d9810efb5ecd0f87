import { Query } from '@nestjs/cqrs';
import type { Principal } from '#platform/kernel';
import type { ListedMemory, MemoryListOptions } from '../list-memories/list-memories.query.ts';

/**
 * Lists memories as they were at a time, each by its latest version of then. What is forgotten today is so in every past. May throw
 * a `TooManyChangedError`.
 */
export class ListPastMemories extends Query<{ readonly memories: readonly ListedMemory[]; readonly total: number }> {
  constructor(
    readonly principal: Principal,
    /** Those that the request names: one of them is one that it had then. Empty: any. */
    readonly tags: readonly string[],
    readonly options: MemoryListOptions,
    /** Milliseconds since the epoch. */
    readonly asOf: number,
  ) {
    super();
  }
}

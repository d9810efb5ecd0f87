import { Query } from '@nestjs/cqrs';
import type { Scope, TagSelection } from '#platform/kernel';
import type { ListedMemory, MemoryListOptions } from '../list-memories/list-memories.query.ts';

/**
 * Lists memories as they were at a time, each by its latest version of then. What is forgotten today is so in every past. May throw
 * a `TooManyChangedError`.
 */
export class ListPastMemories extends Query<{ readonly memories: readonly ListedMemory[]; readonly total: number }> {
  /** One of its tags is one that the memory, or its document, has today. */
  readonly scope: Scope;
  /** One of them is one that it had then. Within the scope. */
  readonly tagsThen: TagSelection;
  readonly options: MemoryListOptions;
  /** Milliseconds since the epoch. */
  readonly asOf: number;

  constructor(scope: Scope, tagsThen: TagSelection, options: MemoryListOptions, asOf: number) {
    super();
    this.scope = scope;
    this.tagsThen = tagsThen;
    this.options = options;
    this.asOf = asOf;
  }
}

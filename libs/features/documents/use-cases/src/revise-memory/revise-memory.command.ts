import { Command } from '@nestjs/cqrs';
import type { MemoryChange } from '#features/documents';
import type { AccessScope, Result } from '#platform/kernel';
import type { VersionView } from '../memories/memory-view.ts';
import type { MemoryName } from '../memories/named-memory.ts';

export type ReviseRefusal = 'forbidden' | 'memory_not_found' | 'memory_too_large';

/** Gives a memory another version. */
export class ReviseMemory extends Command<Result<VersionView, ReviseRefusal>> {
  readonly scope: AccessScope;
  readonly actor: string;
  /** Null: whichever the memory carries. */
  readonly tag: string | null;
  readonly name: MemoryName;
  readonly change: MemoryChange;

  constructor(scope: AccessScope, actor: string, tag: string | null, name: MemoryName, change: MemoryChange) {
    super();
    this.scope = scope;
    this.actor = actor;
    this.tag = tag;
    this.name = name;
    this.change = change;
  }
}

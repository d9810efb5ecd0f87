import { Command } from '@nestjs/cqrs';
import type { MemoryChange, VersionView } from '#features/documents';
import type { Principal, Result } from '#platform/kernel';
import type { MemoryName } from '../memory-name.ts';

export type ReviseRefusal = 'forbidden' | 'memory_not_found' | 'memory_too_large';

/** Gives a memory another version. */
export class ReviseMemory extends Command<Result<VersionView, ReviseRefusal>> {
  readonly principal: Principal;
  /** Null: whichever the memory carries. */
  readonly tag: string | null;
  readonly name: MemoryName;
  readonly change: MemoryChange;

  constructor(principal: Principal, tag: string | null, name: MemoryName, change: MemoryChange) {
    super();
    this.principal = principal;
    this.tag = tag;
    this.name = name;
    this.change = change;
  }
}

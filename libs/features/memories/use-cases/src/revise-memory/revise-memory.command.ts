import { Command } from '@nestjs/cqrs';
import type { VersionView } from '#features/memories';
import type { Principal, Result } from '#platform/kernel';
import type { MemoryName } from '../memory-finder.ts';
import type { MemoryChange } from './decide.ts';

export type ReviseRefusal = 'forbidden' | 'memory_not_found' | 'memory_too_large';

/** Gives a memory another version. */
export class ReviseMemory extends Command<Result<VersionView, ReviseRefusal>> {
  constructor(
    readonly principal: Principal,
    /** Null: whichever the memory carries. */
    readonly tag: string | null,
    readonly name: MemoryName,
    readonly change: MemoryChange,
  ) {
    super();
  }
}

import { Command } from '@nestjs/cqrs';
import type { Principal, Result } from '#platform/kernel';
import type { MemoryName } from '../memory-finder.ts';

export type ForgetRefusal = 'forbidden' | 'memory_not_found' | 'already_forgotten';

/**
 * Forgets a memory with all its versions, or those memories of a passage that are not forgotten yet. The answer is the id of the
 * latest version, or that of the first of these memories.
 */
export class ForgetMemory extends Command<Result<string, ForgetRefusal>> {
  constructor(
    readonly principal: Principal,
    /** Null: of any tag that the principal may write. */
    readonly tag: string | null,
    readonly name: MemoryName,
    readonly reason: string | null,
    /** Only a memory of a document with one of these tags. Empty: with any tags. */
    readonly picked: readonly string[] = [],
  ) {
    super();
  }
}

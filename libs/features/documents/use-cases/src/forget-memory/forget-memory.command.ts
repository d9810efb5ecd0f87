import { Command } from '@nestjs/cqrs';
import type { AccessScope, Result } from '#platform/kernel';
import type { MemoryName } from '../memories/named-memory.ts';

export type ForgetRefusal = 'forbidden' | 'memory_not_found' | 'already_forgotten';

/**
 * Forgets a memory with all its versions, or those memories of a passage that are not forgotten yet. The answer is the id of the
 * latest version, or that of the first of these memories.
 */
export class ForgetMemory extends Command<Result<string, ForgetRefusal>> {
  readonly scope: AccessScope;
  readonly actor: string;
  /** Null: of any tag that the scope permits. */
  readonly tag: string | null;
  readonly name: MemoryName;
  readonly reason: string | null;

  constructor(scope: AccessScope, actor: string, tag: string | null, name: MemoryName, reason: string | null) {
    super();
    this.scope = scope;
    this.actor = actor;
    this.tag = tag;
    this.name = name;
    this.reason = reason;
  }
}

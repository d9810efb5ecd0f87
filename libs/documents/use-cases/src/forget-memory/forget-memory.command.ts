import { Command } from '@nestjs/cqrs';
import type { AccessScope, Result } from '#kernel';
import type { MemoryName } from '../memories/named-memory.ts';

export type ForgetRefusal = 'forbidden' | 'memory_not_found' | 'already_forgotten';

/** Forgets a memory with all its versions. The answer is the id of the latest one. */
export class ForgetMemory extends Command<Result<string, ForgetRefusal>> {
  readonly scope: AccessScope;
  readonly actor: string;
  readonly tag: string;
  readonly name: MemoryName;
  readonly reason: string | null;

  constructor(scope: AccessScope, actor: string, tag: string, name: MemoryName, reason: string | null) {
    super();
    this.scope = scope;
    this.actor = actor;
    this.tag = tag;
    this.name = name;
    this.reason = reason;
  }
}

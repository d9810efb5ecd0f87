import { Command } from '@nestjs/cqrs';
import type { MemoryDetails } from '#features/documents';
import type { AccessScope, Result } from '#platform/kernel';
import type { VersionView } from '../memories/memory-view.ts';

export type NewMemory = MemoryDetails;

export type RecordRefusal = 'forbidden' | 'memory_too_large' | 'backlog_full' | 'idempotency_key_reused';

/** Records memories under a tag. One that equals an active memory of the tag is not recorded again. */
export class RecordMemories extends Command<Result<readonly VersionView[], RecordRefusal>> {
  readonly scope: AccessScope;
  readonly actor: string;
  readonly tag: string;
  /** None with a blank text. */
  readonly memories: readonly NewMemory[];
  readonly idempotencyKey: string | null;

  constructor(
    scope: AccessScope,
    actor: string,
    tag: string,
    memories: readonly NewMemory[],
    idempotencyKey: string | null,
  ) {
    super();
    this.scope = scope;
    this.actor = actor;
    this.tag = tag;
    this.memories = memories;
    this.idempotencyKey = idempotencyKey;
  }
}

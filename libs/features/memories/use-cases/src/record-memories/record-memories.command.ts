import { Command } from '@nestjs/cqrs';
import type { MemoryDetails, VersionView } from '#features/memories';
import type { Principal, Result } from '#platform/kernel';

export type NewMemory = MemoryDetails;

export type RecordRefusal = 'forbidden' | 'memory_too_large' | 'backlog_full' | 'idempotency_key_reused';

/** Records memories under a tag. One that equals an active memory of the tag is not recorded again. */
export class RecordMemories extends Command<Result<readonly VersionView[], RecordRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly tag: string,
    /** None with a blank text. */
    readonly memories: readonly NewMemory[],
    readonly idempotencyKey: string | null,
  ) {
    super();
  }
}

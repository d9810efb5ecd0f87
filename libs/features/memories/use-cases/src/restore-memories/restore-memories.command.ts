import { Command } from '@nestjs/cqrs';
import type { VersionView } from '#features/memories';
import type { Principal, Result } from '#platform/kernel';

/** Undoes that memories were forgotten or expired. Ids that no memory of the tag has are skipped. */
export class RestoreMemories extends Command<Result<readonly VersionView[], 'forbidden'>> {
  constructor(
    readonly principal: Principal,
    readonly tag: string,
    /** Of any versions. */
    readonly ids: readonly string[],
  ) {
    super();
  }
}

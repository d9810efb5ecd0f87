import { Command } from '@nestjs/cqrs';
import type { AccessScope, Result } from '#platform/kernel';
import type { VersionView } from '../memories/memory-view.ts';

/** Undoes that memories were forgotten or expired. Ids that no memory of the tag has are skipped. */
export class RestoreMemories extends Command<Result<readonly VersionView[], 'forbidden'>> {
  readonly scope: AccessScope;
  readonly actor: string;
  readonly tag: string;
  /** Of any versions. */
  readonly ids: readonly string[];

  constructor(scope: AccessScope, actor: string, tag: string, ids: readonly string[]) {
    super();
    this.scope = scope;
    this.actor = actor;
    this.tag = tag;
    this.ids = ids;
  }
}

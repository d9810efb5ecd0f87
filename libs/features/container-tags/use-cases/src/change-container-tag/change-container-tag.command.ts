import { Command } from '@nestjs/cqrs';
import type { TagValues } from '#features/container-tags';
import type { AccessScope, Result } from '#platform/kernel';
import type { ContainerTagDetails } from '../container-tag-view.ts';
import type { TagRefusal } from '../get-container-tag/get-container-tag.query.ts';

/** Changes what is set on a tag; null clears a value. */
export class ChangeContainerTag extends Command<Result<ContainerTagDetails, TagRefusal>> {
  readonly scope: AccessScope;
  /** As events name it. */
  readonly actor: string;
  readonly tag: string;
  readonly changes: Partial<TagValues>;

  constructor(scope: AccessScope, actor: string, tag: string, changes: Partial<TagValues>) {
    super();
    this.scope = scope;
    this.actor = actor;
    this.tag = tag;
    this.changes = changes;
  }
}

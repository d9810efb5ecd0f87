import { Command } from '@nestjs/cqrs';
import type { TagValues } from '#features/container-tags';
import type { Principal, Result } from '#platform/kernel';
import type { ContainerTagDetails } from '../container-tag-view.ts';
import type { TagRefusal } from '../get-container-tag/get-container-tag.query.ts';

/** Changes what is set on a tag; null clears a value. */
export class ChangeContainerTag extends Command<Result<ContainerTagDetails, TagRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly tag: string,
    readonly changes: Partial<TagValues>,
  ) {
    super();
  }
}

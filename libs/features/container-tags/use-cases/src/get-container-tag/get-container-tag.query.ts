import { Query } from '@nestjs/cqrs';
import type { Principal, Result } from '#platform/kernel';
import type { ContainerTagDetails } from '../container-tag-view.ts';

/** `tag_not_found`: no document carries the tag and nothing was set on it. `forbidden`: the principal may not write it. */
export type TagRefusal = 'tag_not_found' | 'forbidden';

export class GetContainerTag extends Query<Result<ContainerTagDetails, TagRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly tag: string,
  ) {
    super();
  }
}

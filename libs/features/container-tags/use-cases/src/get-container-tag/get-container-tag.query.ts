import { Query } from '@nestjs/cqrs';
import type { Principal, Result } from '#platform/kernel';
import type { ContainerTagDetails } from '../container-tag-view.ts';

/** `tag_not_found`: no document carries the tag and nothing was set on it. `forbidden`: the principal may not write it. */
export type TagRefusal = 'tag_not_found' | 'forbidden';

export class GetContainerTag extends Query<Result<ContainerTagDetails, TagRefusal>> {
  readonly principal: Principal;
  readonly tag: string;

  constructor(principal: Principal, tag: string) {
    super();
    this.principal = principal;
    this.tag = tag;
  }
}

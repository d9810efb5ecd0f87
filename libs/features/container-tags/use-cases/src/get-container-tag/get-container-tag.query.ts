import { Query } from '@nestjs/cqrs';
import type { Result, Scope } from '#platform/kernel';
import type { ContainerTagDetails } from '../container-tag-view.ts';

/** `tag_not_found`: no document carries the tag and nothing was set on it. `forbidden`: it is not in the scope. */
export type TagRefusal = 'tag_not_found' | 'forbidden';

export class GetContainerTag extends Query<Result<ContainerTagDetails, TagRefusal>> {
  readonly scope: Scope;
  readonly tag: string;

  constructor(scope: Scope, tag: string) {
    super();
    this.scope = scope;
    this.tag = tag;
  }
}

import { Query } from '@nestjs/cqrs';
import type { Scope } from '#platform/kernel';
import type { ContainerTagView } from '../container-tag-view.ts';

/** The tags that documents of the scope carry or on which something was set, by name. Shows every acknowledged write. */
export class ListContainerTags extends Query<readonly ContainerTagView[]> {
  readonly scope: Scope;

  constructor(scope: Scope) {
    super();
    this.scope = scope;
  }
}

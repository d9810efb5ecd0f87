import { Query } from '@nestjs/cqrs';
import type { Principal } from '#platform/kernel';
import type { ContainerTagView } from '../container-tag-view.ts';

/** The tags that the principal may read, of documents or with something set on them, by name. Shows every acknowledged write. */
export class ListContainerTags extends Query<readonly ContainerTagView[]> {
  constructor(readonly principal: Principal) {
    super();
  }
}

import { Query } from '@nestjs/cqrs';
import type { Caller, TagSelection } from '#kernel';
import type { DocumentView } from '../document-view.ts';

/** Documents that are neither done nor failed, newest first. */
export class ListProcessing extends Query<{ readonly documents: readonly DocumentView[]; readonly total: number }> {
  readonly caller: Caller;
  readonly tags: TagSelection;

  constructor(caller: Caller, tags: TagSelection) {
    super();
    this.caller = caller;
    this.tags = tags;
  }
}

import { Query } from '@nestjs/cqrs';
import type { Scope } from '#platform/kernel';
import type { DocumentView } from '../document-view.ts';

/** Documents that are neither done nor failed, newest first. */
export class ListProcessing extends Query<{ readonly documents: readonly DocumentView[]; readonly total: number }> {
  readonly scope: Scope;

  constructor(scope: Scope) {
    super();
    this.scope = scope;
  }
}

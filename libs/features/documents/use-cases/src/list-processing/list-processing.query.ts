import { Query } from '@nestjs/cqrs';
import type { Principal } from '#platform/kernel';
import type { DocumentView } from '../document-view.ts';

/** Documents that are neither done nor failed, newest first. */
export class ListProcessing extends Query<{ readonly documents: readonly DocumentView[]; readonly total: number }> {
  constructor(
    readonly principal: Principal,
    /** Those that the request names. Empty: all that the principal may read. */
    readonly tags: readonly string[],
  ) {
    super();
  }
}

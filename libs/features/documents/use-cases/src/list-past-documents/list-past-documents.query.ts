import { Query } from '@nestjs/cqrs';
import type { Principal } from '#platform/kernel';
import type { ListedView } from '../document-view.ts';
import type { DocumentListOptions } from '../list-documents/list-documents.query.ts';

/** Lists documents as they were at a time, without those that are deleted today. May throw a `TooManyChangedError`. */
export class ListPastDocuments extends Query<{ readonly documents: readonly ListedView[]; readonly total: number }> {
  constructor(
    readonly principal: Principal,
    /** Those that the request names: one of them is one that it had then. Empty: any. */
    readonly tags: readonly string[],
    readonly options: DocumentListOptions,
    /** Milliseconds since the epoch. */
    readonly asOf: number,
  ) {
    super();
  }
}

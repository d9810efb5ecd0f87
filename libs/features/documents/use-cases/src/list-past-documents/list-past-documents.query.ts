import { Query } from '@nestjs/cqrs';
import type { Scope, TagSelection } from '#platform/kernel';
import type { ListedView } from '../document-view.ts';
import type { DocumentListOptions } from '../list-documents/list-documents.query.ts';

/** Lists documents as they were at a time, without those that are deleted today. May throw a `TooManyChangedError`. */
export class ListPastDocuments extends Query<{ readonly documents: readonly ListedView[]; readonly total: number }> {
  /** One of its tags is one that the document has today. */
  readonly scope: Scope;
  /** One of them is one that the document had then. Within the scope, or all. */
  readonly tagsThen: TagSelection;
  readonly options: DocumentListOptions;
  /** Milliseconds since the epoch. */
  readonly asOf: number;

  constructor(scope: Scope, tagsThen: TagSelection, options: DocumentListOptions, asOf: number) {
    super();
    this.scope = scope;
    this.tagsThen = tagsThen;
    this.options = options;
    this.asOf = asOf;
  }
}

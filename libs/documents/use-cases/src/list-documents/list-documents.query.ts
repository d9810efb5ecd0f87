import { Query } from '@nestjs/cqrs';
import type { Caller, TagSelection } from '#kernel';
import type { Filter } from '#search';
import type { Stage } from '#views';
import type { DocumentView } from '../document-view.ts';

export interface DocumentListOptions {
  readonly tags: TagSelection;
  readonly filter: Filter | null;
  readonly filepath: string | null;
  readonly stages: readonly Stage[] | null;
  readonly source: string | null;
  readonly customId: string | null;
  readonly includeContent: boolean;
  readonly sort: 'createdAt' | 'updatedAt';
  readonly order: 'asc' | 'desc';
  /** From 1. */
  readonly page: number;
  readonly limit: number;
}

/** Shows every write that this process has acknowledged. */
export class ListDocuments extends Query<{ readonly documents: readonly DocumentView[]; readonly total: number }> {
  readonly caller: Caller;
  readonly options: DocumentListOptions;

  constructor(caller: Caller, options: DocumentListOptions) {
    super();
    this.caller = caller;
    this.options = options;
  }
}

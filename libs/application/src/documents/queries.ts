import { Query } from '@nestjs/cqrs';
import type { RecordedEvent } from '#event-store';
import type { Caller, Result, TagSelection } from '#kernel';
import type { Filter } from '#search';
import type { DocumentRow, Stage } from '#views';

/** A document as it is right now, with its content where the caller wants it. */
export interface DocumentView {
  readonly row: DocumentRow;
  /** The exact stored text; null until known, or when it was not asked for. */
  readonly content: string | null;
}

/** By internal id, else by customId; correct right after a write. */
export class GetDocument extends Query<Result<DocumentView, 'not_found'>> {
  readonly caller: Caller;
  readonly idOrCustomId: string;

  constructor(caller: Caller, idOrCustomId: string) {
    super();
    this.caller = caller;
    this.idOrCustomId = idOrCustomId;
  }
}

/**
 * Everything that happened to a document, the first event first: by internal id also after its deletion, by customId as
 * long as the document has it.
 */
export class GetDocumentEvents extends Query<Result<readonly RecordedEvent[], 'not_found'>> {
  readonly caller: Caller;
  readonly idOrCustomId: string;

  constructor(caller: Caller, idOrCustomId: string) {
    super();
    this.caller = caller;
    this.idOrCustomId = idOrCustomId;
  }
}

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

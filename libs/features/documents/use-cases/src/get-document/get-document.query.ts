import { Query } from '@nestjs/cqrs';
import type { AccessRefusal } from '#features/documents';
import type { AccessScope, Result } from '#platform/kernel';
import type { DocumentDetails, LongDocument } from '../document-view.ts';

/** By internal id, else by customId; correct right after a write. Of a past time: as far as it is not erased. */
export class GetDocument extends Query<Result<DocumentDetails | LongDocument, AccessRefusal>> {
  readonly scope: AccessScope;
  readonly idOrCustomId: string;
  /** Milliseconds since the epoch. Null: now. */
  readonly asOf: number | null;

  constructor(scope: AccessScope, idOrCustomId: string, asOf: number | null = null) {
    super();
    this.scope = scope;
    this.idOrCustomId = idOrCustomId;
    this.asOf = asOf;
  }
}

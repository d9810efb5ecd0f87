import { Query } from '@nestjs/cqrs';
import type { AccessRefusal } from '#documents';
import type { AccessScope, Result } from '#kernel';
import type { DocumentDetails, LongDocument } from '../document-view.ts';

/** By internal id, else by customId; correct right after a write. */
export class GetDocument extends Query<Result<DocumentDetails | LongDocument, AccessRefusal>> {
  readonly scope: AccessScope;
  readonly idOrCustomId: string;

  constructor(scope: AccessScope, idOrCustomId: string) {
    super();
    this.scope = scope;
    this.idOrCustomId = idOrCustomId;
  }
}

import { Query } from '@nestjs/cqrs';
import type { AccessRefusal } from '#documents';
import type { AccessScope, Result } from '#kernel';
import type { Unit } from '#views';

export interface DocumentChunks {
  readonly id: string;
  /** Of the document. Milliseconds since the epoch. */
  readonly createdAt: number;
  /** In order; empty as long as they are not formed. */
  readonly chunks: readonly Unit[];
}

/** The passages of a document, by internal id, else by customId; correct right after a write. */
export class GetDocumentChunks extends Query<Result<DocumentChunks, AccessRefusal>> {
  readonly scope: AccessScope;
  readonly idOrCustomId: string;

  constructor(scope: AccessScope, idOrCustomId: string) {
    super();
    this.scope = scope;
    this.idOrCustomId = idOrCustomId;
  }
}

import { Query } from '@nestjs/cqrs';
import type { AccessRefusal } from '#features/documents';
import type { Principal, Result } from '#platform/kernel';
import type { DocumentDetails, LongDocument } from '../document-view.ts';

/** By internal id, else by customId; correct right after a write. Of a past time: as far as it is not erased. */
export class GetDocument extends Query<Result<DocumentDetails | LongDocument, AccessRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly idOrCustomId: string,
    /** Milliseconds since the epoch. Null: now. */
    readonly asOf: number | null = null,
    /** Of several documents with one customId: one with any of these tags is meant. Empty: with any tags. */
    readonly picked: readonly string[] = [],
  ) {
    super();
  }
}

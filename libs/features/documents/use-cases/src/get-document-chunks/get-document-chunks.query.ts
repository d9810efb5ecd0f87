import { Query } from '@nestjs/cqrs';
import type { AccessRefusal } from '#features/documents';
import type { Principal, Result } from '#platform/kernel';
import type { Unit } from '#read-side/views';

export interface DocumentChunks {
  readonly id: string;
  /** Of the document. Milliseconds since the epoch. */
  readonly createdAt: number;
  /** In order; empty as long as they are not formed. */
  readonly chunks: readonly Unit[];
}

/** The same of a document that is too long to be held: its chunks are read while they are iterated, once. */
export interface LongDocumentChunks {
  readonly id: string;
  readonly createdAt: number;
  readonly eachChunk: AsyncIterable<Unit>;
}

/** The passages of a document, by internal id, else by customId; correct right after a write. */
export class GetDocumentChunks extends Query<Result<DocumentChunks | LongDocumentChunks, AccessRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly idOrCustomId: string,
    /** Of several documents with one customId: one with any of these tags is meant. Empty: with any tags. */
    readonly picked: readonly string[] = [],
  ) {
    super();
  }
}

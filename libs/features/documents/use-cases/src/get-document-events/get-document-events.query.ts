import { Query } from '@nestjs/cqrs';
import type { AccessRefusal } from '#features/documents';
import type { Principal, Result } from '#platform/kernel';
import type { RecordedEvent } from '#ports/event-store';

/**
 * The events of a document, oldest first: by internal id also after its deletion, by customId as long as the document has
 * it.
 */
export class GetDocumentEvents extends Query<Result<readonly RecordedEvent[], AccessRefusal>> {
  constructor(
    readonly principal: Principal,
    readonly idOrCustomId: string,
    /** Of several documents with one customId: one with any of these tags is meant. Empty: with any tags. */
    readonly picked: readonly string[] = [],
  ) {
    super();
  }
}

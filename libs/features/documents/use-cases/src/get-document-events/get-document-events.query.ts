import { Query } from '@nestjs/cqrs';
import type { AccessRefusal } from '#features/documents';
import type { AccessScope, Result } from '#platform/kernel';
import type { RecordedEvent } from '#ports/event-store';

/**
 * The events of a document, oldest first: by internal id also after its deletion, by customId as long as the document has
 * it.
 */
export class GetDocumentEvents extends Query<Result<readonly RecordedEvent[], AccessRefusal>> {
  readonly scope: AccessScope;
  readonly idOrCustomId: string;

  constructor(scope: AccessScope, idOrCustomId: string) {
    super();
    this.scope = scope;
    this.idOrCustomId = idOrCustomId;
  }
}

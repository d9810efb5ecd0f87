import { Query } from '@nestjs/cqrs';
import type { AccessRefusal } from '#documents';
import type { RecordedEvent } from '#event-store';
import type { AccessScope, Result } from '#kernel';

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

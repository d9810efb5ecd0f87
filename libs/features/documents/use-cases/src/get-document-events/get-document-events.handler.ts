import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { DocumentRepository } from '#features/documents';
import { readScope } from '#platform/kernel';
import { GetDocumentEvents } from './get-document-events.query.ts';

@QueryHandler(GetDocumentEvents)
export class GetDocumentEventsHandler implements IQueryHandler<GetDocumentEvents> {
  constructor(private readonly documents: DocumentRepository) {}

  execute({ principal, idOrCustomId, picked }: GetDocumentEvents) {
    const scope = readScope(principal, picked);
    return this.documents.events(scope, idOrCustomId);
  }
}

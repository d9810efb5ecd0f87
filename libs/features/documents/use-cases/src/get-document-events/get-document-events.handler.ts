import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { DocumentRepository } from '#features/documents';
import { GetDocumentEvents } from './get-document-events.query.ts';

@QueryHandler(GetDocumentEvents)
export class GetDocumentEventsHandler implements IQueryHandler<GetDocumentEvents> {
  constructor(private readonly documents: DocumentRepository) {}

  execute({ scope, idOrCustomId }: GetDocumentEvents) {
    return this.documents.events(scope, idOrCustomId);
  }
}

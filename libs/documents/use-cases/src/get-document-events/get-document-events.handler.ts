import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { DocumentRepository } from '#documents';
import { readScope } from '#kernel';
import { GetDocumentEvents } from './get-document-events.query.ts';

@QueryHandler(GetDocumentEvents)
export class GetDocumentEventsHandler implements IQueryHandler<GetDocumentEvents> {
  constructor(private readonly documents: DocumentRepository) {}

  execute({ caller, idOrCustomId }: GetDocumentEvents) {
    return this.documents.events(readScope(caller), idOrCustomId);
  }
}

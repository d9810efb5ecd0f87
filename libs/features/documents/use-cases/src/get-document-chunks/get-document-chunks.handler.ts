import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type AccessRefusal, DocumentContents, DocumentRepository, lossIn } from '#features/documents';
import { ok, type Result, readScope } from '#platform/kernel';
import { type DocumentChunks, GetDocumentChunks, type LongDocumentChunks } from './get-document-chunks.query.ts';

@QueryHandler(GetDocumentChunks)
export class GetDocumentChunksHandler implements IQueryHandler<GetDocumentChunks> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly contents: DocumentContents,
  ) {}

  async execute({
    principal,
    idOrCustomId,
    picked,
  }: GetDocumentChunks): Promise<Result<DocumentChunks | LongDocumentChunks, AccessRefusal>> {
    const scope = readScope(principal, picked);
    try {
      const found = await this.documents.find(scope, idOrCustomId);
      if (!found.ok) return found;
      const { id, createdAt } = found.value;
      if (this.contents.isLong(found.value)) {
        return ok({ id, createdAt, eachChunk: await this.contents.eachUnit(found.value, 'chunk') });
      }
      return ok({ id, createdAt, chunks: await this.contents.units(found.value, 'chunk') });
    } catch (error) {
      if (lossIn(error) === null) throw error;
      const lost = await this.documents.lost.find(scope, idOrCustomId);
      if (!lost.ok) return lost;
      const { id, events } = lost.value;
      return ok({ id, createdAt: Date.parse(events[0]?.envelope.at ?? ''), chunks: [] });
    }
  }
}

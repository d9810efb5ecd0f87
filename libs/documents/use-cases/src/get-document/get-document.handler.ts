import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type AccessRefusal, DocumentContents, DocumentRepository, lossIn } from '#documents';
import { ok, type Result } from '#kernel';
import { toRow, toUnreadableRow } from '#projections';
import type { DocumentView } from '../document-view.ts';
import { GetDocument } from './get-document.query.ts';

@QueryHandler(GetDocument)
export class GetDocumentHandler implements IQueryHandler<GetDocument> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly contents: DocumentContents,
  ) {}

  async execute({ scope, idOrCustomId }: GetDocument): Promise<Result<DocumentView, AccessRefusal>> {
    try {
      const found = await this.documents.find(scope, idOrCustomId);
      return found.ok ? ok({ row: toRow(found.value, 0), content: await this.contents.of(found.value) }) : found;
    } catch (error) {
      const reason = lossIn(error);
      if (reason === null) throw error;
      const lost = await this.documents.findLost(scope, idOrCustomId);
      if (lost.ok) return ok({ row: toUnreadableRow(lost.value.id, lost.value.events, reason), content: null });
      if (lost.error === 'forbidden') return lost;
      throw error;
    }
  }
}

import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import {
  type AccessRefusal,
  DocumentContents,
  DocumentRepository,
  KeptReadings,
  type Live,
  lossIn,
  type ReadingProgress,
} from '#documents';
import { ok, type Result } from '#kernel';
import { toRow, toUnreadableRow } from '#projections';
import type { DocumentDetails, LongDocument } from '../document-view.ts';
import { GetDocument } from './get-document.query.ts';

@QueryHandler(GetDocument)
export class GetDocumentHandler implements IQueryHandler<GetDocument> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly contents: DocumentContents,
    private readonly readings: KeptReadings,
  ) {}

  async execute({ scope, idOrCustomId }: GetDocument): Promise<Result<DocumentDetails | LongDocument, AccessRefusal>> {
    try {
      const found = await this.documents.find(scope, idOrCustomId);
      return found.ok ? ok(await this.#detailsOf(found.value)) : found;
    } catch (error) {
      const reason = lossIn(error);
      if (reason === null) throw error;
      const lost = await this.documents.findLost(scope, idOrCustomId);
      if (lost.ok) {
        const row = toUnreadableRow(lost.value.id, lost.value.events, reason);
        return ok({ row, content: null, memories: [], progress: null });
      }
      if (lost.error === 'forbidden') return lost;
      throw error;
    }
  }

  async #detailsOf(document: Live): Promise<DocumentDetails | LongDocument> {
    if (this.contents.isLong(document)) {
      const [content, eachMemory] = [
        await this.contents.long(document),
        await this.contents.eachUnit(document, 'memory'),
      ];
      return { row: toRow(document, 0), ...content, eachMemory };
    }
    const [content, memories, progress] = await Promise.all([
      this.contents.of(document),
      this.contents.units(document, 'memory'),
      this.#progressOf(document),
    ]);
    return { row: toRow(document, 0), content, memories, progress };
  }

  /** Texts of callers are read at once. */
  async #progressOf(document: Live): Promise<ReadingProgress | null> {
    if (document.stage !== 'extracting' || 'parts' in document.content) return null;
    return (await this.readings.head(document))?.progress ?? null;
  }
}

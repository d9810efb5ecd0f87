import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import {
  type AccessRefusal,
  DocumentContents,
  DocumentRepository,
  KeptReadings,
  type Live,
  lossIn,
  PastDocuments,
  type ReadingProgress,
} from '#documents';
import { err, ok, type Result } from '#kernel';
import { toRow, toUnreadableRow } from '#projections';
import type { DocumentDetails, LongDocument } from '../document-view.ts';
import { GetDocument } from './get-document.query.ts';

@QueryHandler(GetDocument)
export class GetDocumentHandler implements IQueryHandler<GetDocument> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly past: PastDocuments,
    private readonly contents: DocumentContents,
    private readonly readings: KeptReadings,
  ) {}

  async execute(query: GetDocument): Promise<Result<DocumentDetails | LongDocument, AccessRefusal>> {
    const { scope, idOrCustomId, asOf } = query;
    try {
      const found = await (asOf === null
        ? this.documents.find(scope, idOrCustomId)
        : this.past.find(scope, idOrCustomId, asOf));
      return found.ok ? ok(await this.#detailsOf(found.value, asOf === null)) : found;
    } catch (error) {
      const reason = lossIn(error);
      if (reason === null) throw error;
      const lost = await this.documents.findLost(scope, idOrCustomId);
      if (lost.ok) {
        const events = lost.value.events.filter(({ envelope }) => asOf === null || Date.parse(envelope.at) <= asOf);
        if (events.length === 0) return err('not_found');
        const row = toUnreadableRow(lost.value.id, events, reason);
        return ok({ row, content: null, memories: [], progress: null });
      }
      if (lost.error === 'forbidden') return lost;
      throw error;
    }
  }

  async #detailsOf(document: Live, isPresent: boolean): Promise<DocumentDetails | LongDocument> {
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
      isPresent ? this.#progressOf(document) : null,
    ]);
    return { row: toRow(document, 0), content, memories, progress };
  }

  /** Texts of callers are read at once. */
  async #progressOf(document: Live): Promise<ReadingProgress | null> {
    if (document.stage !== 'extracting' || 'parts' in document.content) return null;
    return (await this.readings.head(document))?.progress ?? null;
  }
}

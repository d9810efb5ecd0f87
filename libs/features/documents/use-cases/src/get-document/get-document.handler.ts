import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import {
  type AccessRefusal,
  DocumentContents,
  DocumentRepository,
  KeptReadings,
  type Live,
  loadMemories,
  lossIn,
  PastDocuments,
  type ReadingProgress,
} from '#features/documents';
import { type VersionInDocument, versionsInDocument } from '#features/memories';
import { CLOCK, type Clock, err, type OrganizationId, ok, type Result, readScope, systemScope } from '#platform/kernel';
import { toRow, toUnreadableRow } from '#read-side/projections';
import type { DocumentRow, Unit } from '#read-side/views';
import type { DocumentDetails, LongDocument } from '../document-view.ts';
import { GetDocument } from './get-document.query.ts';

@QueryHandler(GetDocument)
export class GetDocumentHandler implements IQueryHandler<GetDocument> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly past: PastDocuments,
    private readonly contents: DocumentContents,
    private readonly readings: KeptReadings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute(query: GetDocument): Promise<Result<DocumentDetails | LongDocument, AccessRefusal>> {
    const { principal, idOrCustomId, asOf, picked } = query;
    const scope = readScope(principal, picked);
    try {
      const found = await (asOf === null
        ? this.documents.find(scope, idOrCustomId)
        : this.past.find(scope, idOrCustomId, asOf));
      return found.ok ? ok(await this.#detailsOf(found.value, asOf)) : found;
    } catch (error) {
      const reason = lossIn(error);
      if (reason === null) throw error;
      const lost = await this.documents.lost.find(scope, idOrCustomId);
      if (lost.ok) {
        const events = lost.value.events.filter(({ envelope }) => asOf === null || Date.parse(envelope.at) <= asOf);
        if (events.length === 0) return err('not_found');
        const row = toUnreadableRow(lost.value.id, events, reason);
        return ok({ row, content: null, memories: [], progress: null, retry: null, encoding: null, frontMatter: null });
      }
      if (lost.error === 'forbidden') return lost;
      throw error;
    }
  }

  async #detailsOf(document: Live, asOf: number | null): Promise<DocumentDetails | LongDocument> {
    const versionsOf = await this.#versionsOf(document, asOf);
    const { encoding, frontMatter } = document;
    if (this.contents.isLong(document)) {
      const [content, eachMemory] = [
        await this.contents.long(document),
        await this.contents.eachUnit(document, 'memory'),
      ];
      const row = await this.#rowOf(document, asOf);
      return { row, encoding, frontMatter, ...content, eachMemory: flat(eachMemory, versionsOf) };
    }
    const [content, units, progress] = await Promise.all([
      this.contents.of(document),
      this.contents.units(document, 'memory'),
      asOf === null ? this.#progressOf(document) : null,
    ]);
    const isWhole = content !== null && units.length > 0;
    return {
      row: isWhole ? toRow(document, 0) : await this.#rowOf(document, asOf),
      content,
      memories: units.flatMap(versionsOf),
      progress,
      retry: asOf === null ? document.retry : null,
      encoding,
      frontMatter,
    };
  }

  /**
   * The read of a document that has lost content has made it fail, which the answer shows; of one that was done meanwhile, it has
   * read nothing.
   */
  async #rowOf(document: Live, asOf: number | null): Promise<DocumentRow> {
    if (asOf !== null) return toRow(document, 0);
    const present = await this.documents.load(systemScope(document.organization), document.id);
    const hasFailed =
      present.status === 'live' && present.stage === 'failed' && present.contentVersion === document.contentVersion;
    return toRow(hasFailed ? present : document, 0);
  }

  /** Returns what names the versions of a memory of the document. Forgotten is what is forgotten today. */
  async #versionsOf(document: Live, asOf: number | null): Promise<(unit: Unit) => readonly VersionInDocument[]> {
    const organization = document.organization as OrganizationId;
    const scope = { ...systemScope(organization), access: 'read' } as const;
    const present = asOf === null ? document : await this.documents.load(scope, document.id);
    const ids = present.status === 'live' ? present.touched : [];
    const touched = await loadMemories(this.documents, organization, ids);
    const now = this.clock.now();
    const row = toRow(document, 0);
    return (unit) =>
      versionsInDocument({ unit, document: row }, touched.get(unit.id)?.memory, { now, until: asOf ?? now });
  }

  /** Texts of callers are read at once. */
  async #progressOf(document: Live): Promise<ReadingProgress | null> {
    if (document.stage !== 'extracting' || 'parts' in document.content) return null;
    return (await this.readings.head(document))?.progress ?? null;
  }
}

async function* flat<T, R>(items: AsyncIterable<T>, each: (item: T) => readonly R[]): AsyncIterable<R> {
  for await (const item of items) yield* each(item);
}

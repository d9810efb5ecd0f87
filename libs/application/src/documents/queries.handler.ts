import { Inject, Injectable } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { DocumentRepository, DocumentTexts, lossIn } from '#documents';
import type { Live } from '#domain';
import type { EventStore, RecordedEvent } from '#event-store';
import { type Caller, err, ok, type Result } from '#kernel';
import { toRow, toUnreadableRow } from '#projections';
import type { DocumentRow, Stage, ViewsReader } from '#views';
import { EVENT_STORE, VIEWS_PROGRESS, VIEWS_READER, type ViewsProgress } from '../ports.ts';
import { scopeOf } from '../scope.ts';
import { type DocumentView, GetDocument, GetDocumentEvents, ListDocuments, ListProcessing } from './queries.ts';

/** How long a list waits for the views to show what was written before it was asked for. */
const OWN_WRITES_MS = 1_000;

const UNFINISHED: readonly Stage[] = ['queued', 'extracting', 'chunking', 'embedding', 'indexing'];
const PROCESSING_SHOWN = 1_000;

/** What a document's content is for the caller: the text as sent, or what was read from the file. */
@Injectable()
export class DocumentContents {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTexts,
  ) {}

  /** Null as well when it is lost. */
  of(document: Live): Promise<string | null> {
    return unlessLost(() =>
      'parts' in document.content ? this.texts.content(document) : this.texts.extracted(document),
    );
  }

  /** Null as well when the document is gone meanwhile. */
  async ofRow(row: DocumentRow): Promise<string | null> {
    const document = await unlessLost(() => this.documents.load(row.organization, row.id));
    return document?.status === 'live' ? this.of(document) : null;
  }
}

/** What one document has lost keeps nobody from the others, nor from what is left of it. */
async function unlessLost<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (lossIn(error) === null) throw error;
    return null;
  }
}

@QueryHandler(GetDocument)
export class GetDocumentHandler implements IQueryHandler<GetDocument> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly contents: DocumentContents,
  ) {}

  async execute({ caller, idOrCustomId }: GetDocument): Promise<Result<DocumentView, 'not_found'>> {
    try {
      const document = await this.documents.find(caller.organization, idOrCustomId);
      if (document === null) return err('not_found');
      return ok({ row: toRow(document, 0), content: await this.contents.of(document) });
    } catch (error) {
      const reason = lossIn(error);
      const lost = reason === null ? null : await this.documents.lost(caller.organization, idOrCustomId);
      if (reason === null || lost === null) throw error;
      return ok({ row: toUnreadableRow(lost.id, lost.events, reason), content: null });
    }
  }
}

@QueryHandler(GetDocumentEvents)
export class GetDocumentEventsHandler implements IQueryHandler<GetDocumentEvents> {
  constructor(private readonly documents: DocumentRepository) {}

  async execute({ caller, idOrCustomId }: GetDocumentEvents): Promise<Result<readonly RecordedEvent[], 'not_found'>> {
    const events = await this.documents.events(caller.organization, idOrCustomId);
    return events === null ? err('not_found') : ok(events);
  }
}

/** The views as they are once they show everything that was written before the question. */
@Injectable()
export class CurrentViews {
  constructor(
    @Inject(VIEWS_READER) private readonly reader: ViewsReader,
    @Inject(VIEWS_PROGRESS) private readonly progress: ViewsProgress,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  async read(): Promise<ViewsReader> {
    await this.progress.reached(await this.store.head(), OWN_WRITES_MS);
    return this.reader;
  }
}

@QueryHandler(ListDocuments)
export class ListDocumentsHandler implements IQueryHandler<ListDocuments> {
  constructor(
    private readonly views: CurrentViews,
    private readonly contents: DocumentContents,
  ) {}

  async execute({ caller, options }: ListDocuments) {
    const { tags, page, includeContent, ...query } = options;
    const views = await this.views.read();
    const { rows, total } = await views.list({
      ...query,
      scope: scopeOf(caller, tags),
      offset: (page - 1) * options.limit,
    });
    const documents = await Promise.all(
      rows.map(async (row) => ({ row, content: includeContent ? await this.contents.ofRow(row) : null })),
    );
    return { documents, total };
  }
}

@QueryHandler(ListProcessing)
export class ListProcessingHandler implements IQueryHandler<ListProcessing> {
  constructor(private readonly views: CurrentViews) {}

  async execute({ caller, tags }: ListProcessing) {
    const views = await this.views.read();
    const { rows, total } = await views.list(processingOf(caller, tags));
    return { documents: rows.map((row) => ({ row, content: null })), total };
  }
}

function processingOf(caller: Caller, tags: ListProcessing['tags']) {
  return {
    scope: scopeOf(caller, tags),
    filter: null,
    filepath: null,
    stages: UNFINISHED,
    source: null,
    customId: null,
    sort: 'createdAt',
    order: 'desc',
    offset: 0,
    limit: PROCESSING_SHOWN,
  } as const;
}

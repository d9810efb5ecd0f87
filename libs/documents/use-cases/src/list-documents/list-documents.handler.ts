import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { DocumentContents } from '#documents';
import { CurrentViews } from '#views';
import { ListDocuments } from './list-documents.query.ts';

/** Characters of content that are read before the answer begins; the rest is read while it is sent. */
const ROOM = 2_000_000;

@QueryHandler(ListDocuments)
export class ListDocumentsHandler implements IQueryHandler<ListDocuments> {
  constructor(
    private readonly views: CurrentViews,
    private readonly contents: DocumentContents,
  ) {}

  async execute({ scope, options }: ListDocuments) {
    const { page, includeContent, ...query } = options;
    const views = await this.views.read();
    const { rows, total } = await views.list({
      ...query,
      scope,
      offset: (page - 1) * options.limit,
    });
    const room = { left: ROOM };
    const documents = await Promise.all(
      rows.map(async (row) => ({ row, content: includeContent ? await this.contents.ofListedRow(row, room) : null })),
    );
    return { documents, total };
  }
}

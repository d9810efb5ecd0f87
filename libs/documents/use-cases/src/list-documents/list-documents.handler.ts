import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { DocumentContents } from '#documents';
import { scopeOf } from '#kernel';
import { CurrentViews } from '#views';
import { ListDocuments } from './list-documents.query.ts';

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

import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { DocumentContents, PastDocuments } from '#features/documents';
import { pastScopeOf } from '#platform/kernel';
import { documentsAsOf } from '#read-side/as-of';
import { CurrentViews } from '#read-side/views';
import { ListPastDocuments } from './list-past-documents.query.ts';

@QueryHandler(ListPastDocuments)
export class ListPastDocumentsHandler implements IQueryHandler<ListPastDocuments> {
  constructor(
    private readonly views: CurrentViews,
    private readonly past: PastDocuments,
    private readonly contents: DocumentContents,
  ) {}

  async execute({ principal, tags, options, asOf }: ListPastDocuments) {
    const { scope, tagsThen = 'all' } = pastScopeOf(principal, tags, asOf);
    const { page, limit, includeContent, ...query } = options;
    const views = await this.views.read();
    const asked = { ...query, scope, tagsThen, asOf, offset: (page - 1) * limit, limit };
    const found = await documentsAsOf(views, this.past, asked);
    const contents = includeContent
      ? await this.contents.ofDocuments(found.documents.map(({ document }) => document))
      : [];
    const documents = found.documents.map(({ row }, i) => ({ row, content: null, ...contents[i] }));
    return { documents, total: found.total };
  }
}

import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { DocumentContents, PastDocuments } from '#features/documents';
import { pastScopeOf } from '#platform/kernel';
import { documentsAsOf } from '#read-side/as-of';
import { CurrentViews } from '#read-side/views';
import { ListDocuments } from './list-documents.query.ts';

@QueryHandler(ListDocuments)
export class ListDocumentsHandler implements IQueryHandler<ListDocuments> {
  constructor(
    private readonly views: CurrentViews,
    private readonly past: PastDocuments,
    private readonly contents: DocumentContents,
  ) {}

  async execute({ principal, tags, options: { page, includeContent, asOf, ...options } }: ListDocuments) {
    const { scope, tagsThen = 'all' } = pastScopeOf(principal, tags, asOf);
    const query = { ...options, scope, offset: (page - 1) * options.limit };
    if (asOf !== null) {
      const found = await documentsAsOf(await this.views.read(), this.past, { ...query, tagsThen, asOf });
      const then = found.documents.map(({ document }) => document);
      const contents = includeContent ? await this.contents.ofDocuments(then) : [];
      return {
        documents: found.documents.map(({ row }, i) => ({ row, content: null, ...contents[i] })),
        total: found.total,
      };
    }
    // Contents are read from the log.
    const views = await (includeContent ? this.views.read() : this.views.readWithoutLog());
    const { rows, total } = await views.list(query);
    const contents = includeContent ? await this.contents.ofRecords(rows) : [];
    return { documents: rows.map((row, i) => ({ row, content: null, ...contents[i] })), total };
  }
}

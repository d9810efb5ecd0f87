import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { DocumentContents } from '#features/documents';
import { scopeOf } from '#platform/kernel';
import { CurrentViews } from '#read-side/views';
import type { ListedView } from '../document-view.ts';
import { ListDocuments } from './list-documents.query.ts';

@QueryHandler(ListDocuments)
export class ListDocumentsHandler implements IQueryHandler<ListDocuments> {
  constructor(
    private readonly views: CurrentViews,
    private readonly contents: DocumentContents,
  ) {}

  async execute({
    principal,
    tags,
    options,
  }: ListDocuments): Promise<{ documents: readonly ListedView[]; total: number }> {
    const scope = scopeOf(principal, tags);
    const { page, includeContent, ...query } = options;
    // Contents are read from the log.
    const views = await (includeContent ? this.views.read() : this.views.readWithoutLog());
    const { rows, total } = await views.list({
      ...query,
      scope,
      offset: (page - 1) * options.limit,
    });
    if (!includeContent) return { documents: rows.map((row) => ({ row, content: null })), total };
    const contents = await this.contents.ofRecords(rows);
    return { documents: rows.map((row, i) => ({ row, content: null, ...contents[i] })), total };
  }
}

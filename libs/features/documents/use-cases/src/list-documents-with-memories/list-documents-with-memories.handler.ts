import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { scopeOf } from '#platform/kernel';
import { CurrentViews } from '#read-side/views';
import { DocumentMemories } from '../document-memories.ts';
import { ListDocumentsWithMemories } from './list-documents-with-memories.query.ts';

@QueryHandler(ListDocumentsWithMemories)
export class ListDocumentsWithMemoriesHandler implements IQueryHandler<ListDocumentsWithMemories> {
  constructor(
    private readonly views: CurrentViews,
    private readonly memories: DocumentMemories,
  ) {}

  async execute({ principal, tags, options: { page, ...query } }: ListDocumentsWithMemories) {
    const scope = scopeOf(principal, tags);
    const views = await this.views.read();
    const everywhere = { filter: null, filepath: null, stages: null };
    const offset = (page - 1) * query.limit;
    const { rows, total } = await views.list({ ...everywhere, ...query, scope, offset });
    return { documents: await this.memories.of(views, scope, rows), total };
  }
}

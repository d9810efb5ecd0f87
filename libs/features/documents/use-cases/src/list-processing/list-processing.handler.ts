import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { scopeOf } from '#platform/kernel';
import { CurrentViews, type Stage } from '#read-side/views';
import { ListProcessing } from './list-processing.query.ts';

const UNFINISHED: readonly Stage[] = ['queued', 'extracting', 'chunking', 'embedding', 'indexing'];
const MAX_LISTED = 1_000;

@QueryHandler(ListProcessing)
export class ListProcessingHandler implements IQueryHandler<ListProcessing> {
  constructor(private readonly views: CurrentViews) {}

  async execute({ principal, tags }: ListProcessing) {
    const scope = scopeOf(principal, tags);
    const views = await this.views.readWithoutLog();
    const { rows, total } = await views.list({
      scope,
      filter: null,
      filepath: null,
      stages: UNFINISHED,
      sort: 'createdAt',
      order: 'desc',
      offset: 0,
      limit: MAX_LISTED,
    });
    return { documents: rows.map((row) => ({ row, content: null })), total };
  }
}

import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CONNECTION_ITEMS, itemFrom } from '#features/connections';
import { DocumentRepository } from '#features/documents';
import { ok, type Result, readScope } from '#platform/kernel';
import { CurrentViews } from '#read-side/views';
import { Connections } from '../connections.ts';
import { type ItemPage, type ListedItem, ListItems } from './list-items.query.ts';

@QueryHandler(ListItems)
export class ListItemsHandler implements IQueryHandler<ListItems> {
  constructor(
    private readonly connections: Connections,
    private readonly documents: DocumentRepository,
    private readonly views: CurrentViews,
  ) {}

  async execute({ principal, id, status, page }: ListItems): Promise<Result<ItemPage, 'connection_not_found'>> {
    const found = await this.connections.find(principal, id);
    if (!found.ok) return found;
    const scope = readScope(principal);
    const views = await this.views.read();
    const { rows, total } = await views.rows({
      ...{ model: CONNECTION_ITEMS, scope, equals: { connection: id, ...(status !== null && { state: status }) } },
      ...{ sort: 'at', order: 'desc', offset: (page.page - 1) * page.limit, limit: page.limit },
    });
    const items: ListedItem[] = [];
    for (const { values } of rows) {
      const item = itemFrom(values);
      const document = item.document === null ? null : await this.documents.load(scope, item.document);
      const isDeleted = document?.status === 'deleted';
      const own = item.failure === null ? 'synced' : 'failed';
      items.push({ ...item, status: isDeleted ? 'deleted' : own, at: values.at as number });
    }
    return ok({ items, total });
  }
}

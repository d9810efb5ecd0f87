import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { scopeOf } from '#platform/kernel';
import { CurrentViews } from '#read-side/views';
import { CountDocuments } from './count-documents.query.ts';

@QueryHandler(CountDocuments)
export class CountDocumentsHandler implements IQueryHandler<CountDocuments> {
  constructor(private readonly views: CurrentViews) {}

  async execute({ principal, tags }: CountDocuments) {
    const scope = scopeOf(principal, tags);
    const counts = await (await this.views.readWithoutLog()).countTypes(scope);
    return counts.toSorted((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1));
  }
}

import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CurrentViews } from '#read-side/views';
import { CountDocuments } from './count-documents.query.ts';

@QueryHandler(CountDocuments)
export class CountDocumentsHandler implements IQueryHandler<CountDocuments> {
  constructor(private readonly views: CurrentViews) {}

  async execute({ scope }: CountDocuments) {
    const counts = await (await this.views.readWithoutLog()).countTypes(scope);
    return counts.toSorted((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1));
  }
}

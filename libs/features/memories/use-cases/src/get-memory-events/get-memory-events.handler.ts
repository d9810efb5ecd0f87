import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { DocumentRepository } from '#features/documents';
import { err, ok, readScope } from '#platform/kernel';
import { MemoryFinder } from '../memory-finder.ts';
import { GetMemoryEvents } from './get-memory-events.query.ts';

@QueryHandler(GetMemoryEvents)
export class GetMemoryEventsHandler implements IQueryHandler<GetMemoryEvents> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly finder: MemoryFinder,
  ) {}

  async execute({ principal, id }: GetMemoryEvents) {
    const scope = readScope(principal);
    const own = await this.documents.memoryEvents(scope, id);
    if (own.ok) return ok(own.value);
    if (own.error === 'forbidden') return err(own.error);
    const root = await this.finder.rootOf(scope, id);
    const events = root === null ? own : await this.documents.memoryEvents(scope, root);
    if (events.ok) return ok(events.value);
    return err(events.error === 'forbidden' ? events.error : ('memory_not_found' as const));
  }
}

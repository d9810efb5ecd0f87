import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import pLimit from 'p-limit';
import { DocumentRepository, memoryIn } from '#documents';
import { CLOCK, type Clock } from '#kernel';
import { CurrentViews } from '#views';
import { versionsOf } from '../memories/memory-view.ts';
import { AT_ONCE } from '../memories/named-memory.ts';
import { type ListedMemory, ListMemories } from './list-memories.query.ts';

@QueryHandler(ListMemories)
export class ListMemoriesHandler implements IQueryHandler<ListMemories> {
  constructor(
    private readonly views: CurrentViews,
    private readonly documents: DocumentRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ scope, options }: ListMemories) {
    const { page, limit, includeInactive, ...query } = options;
    const now = this.clock.now();
    const views = await this.views.read();
    const { rows, total } = await views.list({
      ...query,
      ...{ scope, limit, offset: (page - 1) * limit, holds: 'memories', filepath: null, stages: null },
      ...(!includeInactive && { activeAt: now }),
    });
    const memories = await pLimit(AT_ONCE).map(rows, async (row): Promise<readonly ListedMemory[]> => {
      const live = memoryIn(await this.documents.load({ ...scope, access: 'read' }, row.id));
      if (live === null) return [];
      const from = row.memory?.inactiveFrom ?? null;
      return [{ row, isInactive: from !== null && from <= now, versions: [...versionsOf(live)].reverse() }];
    });
    return { memories: memories.flat(), total };
  }
}

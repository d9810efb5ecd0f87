import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import pLimit from 'p-limit';
import { DocumentRepository, loadMemory } from '#features/documents';
import { versionViews, viewOfPassage } from '#features/memories';
import { CLOCK, type Clock, pastScopeOf } from '#platform/kernel';
import { type ListedPastMemory, PastMemories } from '#read-side/as-of';
import { CurrentViews } from '#read-side/views';
import type { ListedMemory } from '../list-memories/list-memories.query.ts';
import { AT_ONCE } from '../memory-finder.ts';
import { ListPastMemories } from './list-past-memories.query.ts';

@QueryHandler(ListPastMemories)
export class ListPastMemoriesHandler implements IQueryHandler<ListPastMemories> {
  constructor(
    private readonly views: CurrentViews,
    private readonly past: PastMemories,
    private readonly documents: DocumentRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ principal, tags, options, asOf }: ListPastMemories) {
    const { scope, tagsThen = 'all' } = pastScopeOf(principal, tags, asOf);
    const { page, limit, includeInactive, filter, sort, order } = options;
    const now = this.clock.now();
    const query = { scope, tagsThen, filter, asOf, now, ...(!includeInactive && { activeAt: now }) };
    const views = await this.views.read();
    const found = await this.past.list(views, query, { sort, order, offset: (page - 1) * limit, limit });
    const memories = await pLimit(AT_ONCE).map(found.memories, (one) => this.#listed(one, { asOf, now }));
    return { memories: memories.flat(), total: found.total };
  }

  async #listed(
    { unit, document: row, memory: then, documentIds }: ListedPastMemory,
    { asOf, now }: { readonly asOf: number; readonly now: number },
  ): Promise<readonly ListedMemory[]> {
    const shown = { row, documentIds };
    if (row.memory === undefined) return [{ ...shown, isInactive: false, versions: [viewOfPassage(unit, row)] }];
    const memory = then ?? (await loadMemory(this.documents, row.organization, row.id))?.memory;
    if (memory === undefined) return [];
    const from = row.memory.inactiveFrom;
    const versions = versionViews(memory).filter(({ createdAt }) => createdAt <= asOf);
    return [{ ...shown, isInactive: from !== null && from <= now, versions: versions.reverse() }];
  }
}

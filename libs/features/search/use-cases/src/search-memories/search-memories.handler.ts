import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { DocumentRepository, PastDocuments } from '#features/documents';
import { CLOCK, type Clock } from '#platform/kernel';
import { KnownHits, PastMemories } from '#read-side/as-of';
import { VIEWS_READER, type ViewsReader } from '#read-side/views';
import { SearchPipeline } from '../pipeline/search-pipeline.ts';
import { type TimedResults, timingSince } from '../search-options.ts';
import { newestMemories } from './newest-memories.ts';
import { planMemories } from './plan-memories.ts';
import { bestMemories, presentMemories } from './present-memories.ts';
import { type MemoryResult, SearchMemories } from './search-memories.query.ts';

@QueryHandler(SearchMemories)
export class SearchMemoriesHandler implements IQueryHandler<SearchMemories> {
  constructor(
    @Inject(VIEWS_READER) private readonly views: ViewsReader,
    private readonly pipeline: SearchPipeline,
    private readonly documents: DocumentRepository,
    private readonly past: PastDocuments,
    private readonly pastMemories: PastMemories,
    private readonly known: KnownHits,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute(search: SearchMemories): Promise<TimedResults<MemoryResult>> {
    const startedAt = performance.now();
    const { options } = search;
    const { views, documents, past, pastMemories } = this;
    const plan = planMemories(search, this.clock.now());
    const asOf = this.known.of(views, plan.query);
    const best = plan.listsNewest
      ? await newestMemories({ views, past, pastMemories }, plan, options, asOf)
      : bestMemories(await this.pipeline.search(plan, asOf), plan, options);
    const results = await presentMemories({ views, documents }, plan, options, best, asOf);
    return { ...results, timing: timingSince(startedAt) };
  }
}

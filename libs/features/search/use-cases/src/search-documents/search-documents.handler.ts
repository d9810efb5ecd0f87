import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type AccessRefusal, DocumentContents, DocumentRepository, PastDocuments } from '#features/documents';
import { CLOCK, type Clock, err, ok, pastScopeOf, type Result, readScope } from '#platform/kernel';
import { KnownHits } from '#read-side/as-of';
import { isInScope, VIEWS_READER, type ViewsReader } from '#read-side/views';
import { SearchPipeline } from '../pipeline/search-pipeline.ts';
import { type TimedResults, timingSince } from '../search-options.ts';
import { planDocuments } from './plan-documents.ts';
import { bestResults, newestResults, presentDocuments } from './present-documents.ts';
import { type DocumentResult, SearchDocuments } from './search-documents.query.ts';

@QueryHandler(SearchDocuments)
export class SearchDocumentsHandler implements IQueryHandler<SearchDocuments> {
  constructor(
    @Inject(VIEWS_READER) private readonly views: ViewsReader,
    private readonly pipeline: SearchPipeline,
    private readonly documents: DocumentRepository,
    private readonly contents: DocumentContents,
    private readonly past: PastDocuments,
    private readonly known: KnownHits,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute(search: SearchDocuments): Promise<Result<TimedResults<DocumentResult>, AccessRefusal>> {
    const startedAt = performance.now();
    const named = await this.#namedBy(search);
    if (!named.ok) return named;
    const { options } = search;
    const { views, contents, past } = this;
    const sources = { views, contents, past };
    const plan = planDocuments(search, named.value, this.clock.now());
    const asOf = this.known.of(views, plan.query);
    const best = plan.listsNewest
      ? await newestResults(sources, plan, options, asOf)
      : await bestResults(sources, await this.pipeline.search(plan, asOf), plan, options, asOf);
    const results = await presentDocuments(sources, plan, options, best);
    return ok({ ...results, timing: timingSince(startedAt) });
  }

  /** Returns the id of the document that the request names. Null: it names none. */
  async #namedBy({ principal, tags, options }: SearchDocuments): Promise<Result<string | null, AccessRefusal>> {
    if (options.document === null) return ok(null);
    const { scope } = pastScopeOf(principal, tags, options.asOf);
    const named = await this.documents.find(readScope(principal, tags), options.document);
    if (!named.ok) return named;
    return isInScope(scope, named.value) ? ok(named.value.id) : err('not_found');
  }
}

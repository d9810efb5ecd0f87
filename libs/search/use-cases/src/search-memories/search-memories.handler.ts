import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { CLOCK, type Clock } from '#kernel';
import { RERANKER, type Reranker } from '#rerank';
import { asAsked, readableQuestion } from '#search';
import { Questions } from '#vector-spaces';
import { type UnitKind, VIEWS_READER, type ViewsReader } from '#views';
import { RankedSearch } from '../ranked-search.ts';
import { MOST_RERANKED, rerankHits } from '../reranking/rerank-hits.ts';
import { atLeast, type ScoredHit, withoutRepetition } from '../results.ts';
import { findUnits } from '../rewriting/find-units.ts';
import { QueryRewriter } from '../rewriting/query-rewriter.ts';
import { type Found, rewritingOf } from '../search-options.ts';
import { type MemoryResult, SearchMemories, type SearchMode } from './search-memories.query.ts';

const KINDS: Readonly<Record<SearchMode, readonly UnitKind[]>> = {
  memories: ['memory'],
  documents: ['chunk'],
  hybrid: ['memory', 'chunk'],
};

/** Fetched beyond the limit, so that repetitions do not leave the answer short. */
const SPARE = 2;
/** Over-fetch factor when duplicates fill the page, as in a container of repeated notes. */
const OVER_FETCH = 8;

@QueryHandler(SearchMemories)
export class SearchMemoriesHandler implements IQueryHandler<SearchMemories> {
  readonly #ranked: RankedSearch;

  constructor(
    @Inject(VIEWS_READER) private readonly views: ViewsReader,
    questions: Questions,
    private readonly rewriter: QueryRewriter,
    @Inject(RERANKER) private readonly reranker: Reranker,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.#ranked = new RankedSearch(views, questions);
  }

  async execute({ scope, options }: SearchMemories): Promise<Found<MemoryResult>> {
    const { limit, threshold, mode } = options;
    const active = options.includeInactive ? {} : { activeAt: this.clock.now() };
    const within = { scope, filter: options.filter, filepath: options.filepath, ...active };
    if (options.question.trim() === '*') {
      return { results: await this.#newest(within, limit), rewriting: null };
    }
    const question = readableQuestion(options.question);
    if (question === null) return { results: [], rewriting: null };
    const query = { ...within, documentId: null };
    const asked = options.rewriteQuery
      ? // Chunks hold all words, those of memories included.
        await this.rewriter.rewrite(question, { ...query, kind: mode === 'memories' ? 'memory' : 'chunk' })
      : asAsked(question);
    const texts = asked.forms.map(({ text }) => text);
    const best = (perKind: readonly (readonly ScoredHit[])[]) => {
      const ordered = perKind.flat().sort((a, b) => b.similarity - a.similarity);
      return withoutRepetition(ordered, ({ hit }) => hit.unit.text);
    };
    const kinds = KINDS[mode];
    const first = Math.max(limit + SPARE, options.rerank ? MOST_RERANKED : 0);
    const found = await this.#ranked.search(scope, texts, async ({ vectors, search }) => {
      const look = (most: number) =>
        Promise.all(kinds.map((kind) => findUnits({ search }, { ...query, kind, limit: most }, asked, vectors)));
      const hits = await look(first);
      const isCutOff = hits.some((ofKind) => ofKind.length >= first);
      return isCutOff && best(hits).length < limit ? look(limit * OVER_FETCH) : hits;
    });
    const most = MOST_RERANKED / kinds.length;
    const ordered = options.rerank
      ? await Promise.all(found.map((hits) => rerankHits(this.reranker, question, hits, most)))
      : found;
    const results = best(ordered.map((hits) => atLeast(hits, threshold)))
      .slice(0, limit)
      .map(({ hit, ...result }) => ({ ...result, unit: hit.unit, document: hit.document }));
    return { results, rewriting: options.rewriteQuery ? rewritingOf(asked) : null };
  }

  /** `*` asks for everything: the newest first, each as good as the other. */
  async #newest(query: Parameters<ViewsReader['newestMemories']>[0], limit: number): Promise<readonly MemoryResult[]> {
    const newest = await this.views.newestMemories(query, limit);
    return newest.map(({ unit, document }) => ({ unit, document, similarity: 1, explanation: null }));
  }
}

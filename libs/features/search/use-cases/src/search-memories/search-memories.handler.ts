import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { DocumentRepository, PastDocuments } from '#features/documents';
import { asAsked, coreOf, readableQuestion } from '#features/search';
import { Questions } from '#features/vector-spaces';
import { CLOCK, type Clock, pastScopeOf, type Scope } from '#platform/kernel';
import { RERANKER, type Reranker } from '#ports/rerank';
import { KnownHits, PastMemories } from '#read-side/as-of';
import {
  type DocumentQuery,
  foldedText,
  rankedScope,
  type UnitKind,
  type UnitSearchQuery,
  VIEWS_READER,
  type ViewsReader,
} from '#read-side/views';
import { NewestDocuments } from '../newest-documents.ts';
import { rerankHits } from '../reranking/rerank-hits.ts';
import { atLeast, type ScoredHit, withoutRepetition } from '../results.ts';
import { type FormVectors, Retrieval, withoutCore } from '../retrieval.ts';
import { findUnits, textsOf } from '../rewriting/find-units.ts';
import { QueryRewriter } from '../rewriting/query-rewriter.ts';
import { type Found, type Rewriting, rewritingOf } from '../search-options.ts';
import { withAggregates } from './aggregates.ts';
import { earlierVersions } from './earlier-versions.ts';
import { asFirstMembers } from './first-members.ts';
import { chunksOf } from './found-chunks.ts';
import { relatedMemories } from './related-memories.ts';
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
/** Hits of a question about a past time that are looked at until enough of them were known then. */
const MOST_CHECKED = 400;
/** Chunks that are at least looked for where results show those of their documents. */
const CHUNKS = 40;

interface FoundMemories {
  readonly hits: readonly MemoryResult[];
  /** That reach the threshold, the best first. */
  readonly chunks: readonly ScoredHit[];
  readonly rewriting: Rewriting | null;
}

type Within = DocumentQuery & { readonly cutAt: number };

/** Marks memories that are forgotten, or expired at a time. */
const marked = (results: readonly MemoryResult[], now: number): readonly MemoryResult[] =>
  results.map((result) => {
    const from = result.document.memory?.inactiveFrom ?? null;
    return from === null || from > now ? result : { ...result, isInactive: true };
  });

@QueryHandler(SearchMemories)
export class SearchMemoriesHandler implements IQueryHandler<SearchMemories> {
  readonly #retrieval: Retrieval;

  constructor(
    @Inject(VIEWS_READER) private readonly views: ViewsReader,
    questions: Questions,
    private readonly rewriter: QueryRewriter,
    @Inject(RERANKER) private readonly reranker: Reranker,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly documents: DocumentRepository,
    private readonly past: PastMemories,
    private readonly pastDocuments: PastDocuments,
    private readonly known: KnownHits,
  ) {
    this.#retrieval = new Retrieval(questions);
  }

  async execute({ principal, tags, options }: SearchMemories): Promise<Found<MemoryResult>> {
    const now = this.clock.now();
    const { filter, filepath, includeInactive = false, extras, asOf, validAt } = options;
    const { scope, tagsThen } = pastScopeOf(principal, tags, asOf);
    const query: Within = {
      ...{ scope, filter, filepath, cutAt: now, ...(!includeInactive && { activeAt: now }) },
      ...(asOf != null && { asOf, tagsThen: tagsThen ?? 'all' }),
      ...(validAt != null && { validAt }),
    };
    const { hits, chunks, rewriting } =
      options.question.trim() === '*'
        ? { hits: await this.#newest(query, options), chunks: [], rewriting: null }
        : await this.#search(query, options);
    const found = await this.#withSources(scope, marked(hits, now));
    const results = extras.aggregates ? await withAggregates(found) : found;
    const [related, parents] = extras.related
      ? await Promise.all([
          this.#related(query, results),
          Promise.all(results.map((result) => earlierVersions(this.documents, this.views, scope, result))),
        ])
      : [null, null];
    return {
      results: results.map((result, i) => ({
        ...result,
        ...(extras.chunks && { chunks: chunksOf(result, chunks) }),
        ...(related !== null && { related: related[i] ?? [], parents: parents[i] ?? [] }),
      })),
      rewriting,
    };
  }

  async #withSources(scope: Scope, results: readonly MemoryResult[]): Promise<readonly MemoryResult[]> {
    const ids = results.flatMap(({ document: { memory } }) => memory?.documentId ?? []);
    if (ids.length === 0) return results;
    const rows = new Map((await this.views.documents(scope, ids)).map((row) => [row.id, row]));
    return results.map((result) => {
      const source = rows.get(result.document.memory?.documentId ?? '');
      return source === undefined ? result : { ...result, source };
    });
  }

  async #related(query: Within, results: readonly MemoryResult[]) {
    const { scope, cutAt: at, asOf } = query;
    const related = await relatedMemories(this.views, { scope, kind: 'memory', at }, results);
    if (asOf === undefined) return related;
    const known = this.known.at(this.views, query, asOf);
    return Promise.all(
      results.map(async ({ document }, i) => {
        const hits = (related[i] ?? []).map((unit) => ({ unit, document }));
        return (await known.of(hits)).map(({ unit }) => unit);
      }),
    );
  }

  async #search(within: Within, options: SearchMemories['options']): Promise<FoundMemories> {
    const { limit, threshold, mode, extras, withRepetition = false } = options;
    const question = readableQuestion(options.question);
    if (question === null) return { hits: [], chunks: [], rewriting: null };
    const query = { ...within, documentId: null };
    const asked = options.rewriteQuery
      ? // Chunks hold all words, those of memories included.
        await this.rewriter.rewrite(question, { ...query, kind: mode === 'memories' ? 'memory' : 'chunk' })
      : asAsked(question);
    const best = (perKind: readonly (readonly ScoredHit[])[]) => {
      const ordered = perKind.flat().sort((a, b) => b.similarity - a.similarity);
      if (withRepetition) return ordered;
      const kept = withoutRepetition(ordered, ({ hit }) => foldedText(hit.unit.text));
      return asFirstMembers(kept, ordered, within.cutAt);
    };
    const kinds = KINDS[mode];
    const compared = options.rerank ? this.reranker.most() / kinds.length : 0;
    const { asOf } = within;
    const known = asOf === undefined ? null : this.known.at(this.views, query, asOf);
    const first = Math.max(limit + SPARE, compared);
    const search = async (asked: UnitSearchQuery) => {
      if (known === null) return this.views.search(asked);
      const most = Math.max(asked.limit, Math.min(MOST_CHECKED, asked.limit * OVER_FETCH));
      return known.of(await this.views.search({ ...asked, limit: most }), asked.limit);
    };
    const lookFor = (most: number, vectors: FormVectors) =>
      Promise.all(
        kinds.map((kind) => {
          const wanted = kind === 'chunk' && extras.chunks ? Math.max(most, CHUNKS) : most;
          const own = kind === 'memory' ? vectors : withoutCore(vectors);
          return findUnits({ search }, { ...query, kind, limit: wanted }, asked, own);
        }),
      );
    const core = kinds.includes('memory') ? coreOf(question) : null;
    const plan = { scope: rankedScope(within), texts: textsOf(asked), core, isPast: known !== null };
    const found = await this.#retrieval.find(plan, async (vectors) => {
      const hits = await lookFor(first, vectors);
      const isCutOff = hits.some((ofKind) => ofKind.length >= first);
      return isCutOff && best(hits).length < limit ? lookFor(limit * OVER_FETCH, vectors) : hits;
    });
    const ordered = options.rerank
      ? await Promise.all(found.map((hits) => rerankHits(this.reranker, question, hits, compared)))
      : found;
    const reaching = ordered.map((hits) => atLeast(hits, threshold));
    const hits = best(reaching)
      .slice(0, limit)
      .map(({ hit, similarity, explanation }) => {
        return { similarity, explanation, unit: hit.unit, document: hit.document };
      });
    const chunks = reaching[kinds.indexOf('chunk')] ?? [];
    return { hits, chunks, rewriting: options.rewriteQuery ? rewritingOf(asked) : null };
  }

  /** `*` asks for everything: the newest first, each as good as the other. */
  async #newest(query: Within, { mode, limit }: SearchMemories['options']): Promise<readonly MemoryResult[]> {
    const memories = mode === 'documents' ? [] : await this.#newestMemories(query, limit);
    const said = new Set(memories.map(({ unit }) => foldedText(unit.text)));
    const chunks = mode === 'memories' ? [] : await this.#newestChunks(query, limit);
    return [...memories, ...chunks.filter(({ unit }) => !said.has(foldedText(unit.text)))]
      .sort((a, b) => b.document.createdAt - a.document.createdAt)
      .slice(0, limit)
      .map(({ unit, document }) => ({ unit, document, similarity: 1, explanation: null }));
  }

  #newestMemories(query: Within, limit: number) {
    const { asOf, cutAt: now } = query;
    return asOf === undefined
      ? this.views.newestMemories(query, limit)
      : this.past.newest(this.views, { ...query, asOf, now }, limit);
  }

  /** The beginnings of the newest documents. */
  #newestChunks({ scope, ...query }: Within, limit: number) {
    const { views, pastDocuments: past, known, clock } = this;
    return new NewestDocuments({ views, past, known, clock }).find(scope, null, { ...query, limit });
  }
}

import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type AccessRefusal, DocumentContents, DocumentRepository, PastDocuments } from '#features/documents';
import { asAsked, readableQuestion } from '#features/search';
import { Questions } from '#features/vector-spaces';
import {
  CLOCK,
  type Clock,
  err,
  ok,
  pastScopeOf,
  type Result,
  readScope,
  type Scope,
  type TagSelection,
} from '#platform/kernel';
import { RERANKER, type Reranker } from '#ports/rerank';
import { type KnownAt, KnownHits } from '#read-side/as-of';
import {
  type DocumentQuery,
  type DocumentRow,
  isInScope,
  rankedScope,
  type Unit,
  type UnitSearchQuery,
  VIEWS_READER,
  type ViewsReader,
} from '#read-side/views';
import { readCut } from '../cut-units.ts';
import { NewestDocuments } from '../newest-documents.ts';
import { rerankHits } from '../reranking/rerank-hits.ts';
import type { ScoredHit } from '../results.ts';
import { Retrieval } from '../retrieval.ts';
import { findUnits, textsOf } from '../rewriting/find-units.ts';
import { QueryRewriter } from '../rewriting/query-rewriter.ts';
import { type Found, type Rewriting, rewritingOf } from '../search-options.ts';
import { type FoundDocument, foundDocuments, rerankedDocuments } from './found-documents.ts';
import { type ChunkResult, type DocumentResult, SearchDocuments } from './search-documents.query.ts';

/** Chunks fetched for each document that is asked for, and the most of one search. */
const CHUNKS_PER_DOCUMENT = 5;
const MAX_CHUNKS = 500;

interface Asked extends Omit<SearchDocuments['options'], 'document'> {
  /** With `asOf`: one of these is one that a document had then; the scope is about the tags of today. */
  readonly tagsThen?: TagSelection;
}

@QueryHandler(SearchDocuments)
export class SearchDocumentsHandler implements IQueryHandler<SearchDocuments> {
  readonly #retrieval: Retrieval;

  constructor(
    @Inject(VIEWS_READER) private readonly views: ViewsReader,
    questions: Questions,
    private readonly rewriter: QueryRewriter,
    @Inject(RERANKER) private readonly reranker: Reranker,
    private readonly documents: DocumentRepository,
    private readonly contents: DocumentContents,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly past: PastDocuments,
    private readonly known: KnownHits,
  ) {
    this.#retrieval = new Retrieval(questions);
  }

  async execute({ principal, tags, options }: SearchDocuments): Promise<Result<Found<DocumentResult>, AccessRefusal>> {
    const { scope, ...then } = pastScopeOf(principal, tags, options.asOf);
    const asked: Asked = { ...options, ...then };
    let documentId: string | null = null;
    if (options.document !== null) {
      const named = await this.documents.find(readScope(principal, tags), options.document);
      if (!named.ok) return named;
      if (!isInScope(scope, named.value)) return err('not_found');
      documentId = named.value.id;
    }
    const { results, rewriting } =
      options.question.trim() === '*'
        ? { results: await this.#newest(scope, documentId, asked), rewriting: null }
        : await this.#search(scope, documentId, asked);
    const contents = options.includeFullDocs ? await this.#contentsOf(scope, results, options.asOf ?? null) : [];
    return ok({ results: results.map((result, i) => ({ ...result, content: null, ...contents[i] })), rewriting });
  }

  async #newest(scope: Scope, documentId: string | null, options: Asked) {
    const { views, past, known, clock } = this;
    const found = await new NewestDocuments({ views, past, known, clock }).find(scope, documentId, options);
    return found.map(({ document, unit }) => {
      return { document, score: 1, chunks: [chunkOf(unit, { score: 1, isRelevant: true, explanation: null })] };
    });
  }

  async #contentsOf(scope: Scope, results: readonly { readonly document: DocumentRow }[], asOf: number | null) {
    if (asOf === null) return this.contents.ofRecords(results.map(({ document }) => document));
    const found = results.map(({ document }) => this.past.find({ ...scope, access: 'read' }, document.id, asOf));
    return this.contents.ofDocuments((await Promise.all(found)).map((one) => (one.ok ? one.value : null)));
  }

  async #search(scope: Scope, documentId: string | null, options: Asked) {
    const { filter, filepath, limit } = options;
    const question = readableQuestion(options.question);
    if (question === null) return { results: [], rewriting: null };
    const wanted = Math.min(MAX_CHUNKS, limit * CHUNKS_PER_DOCUMENT);
    const compared = options.rerank ? this.reranker.most() : 0;
    const asOf = options.asOf ?? null;
    const needed = Math.max(wanted, compared);
    const most = asOf === null ? needed : MAX_CHUNKS;
    const cutAt = this.clock.now();
    const past = asOf === null ? {} : { asOf, tagsThen: options.tagsThen ?? 'all' };
    const query = { scope, filter, filepath, kind: 'chunk', documentId, cutAt, ...past } as const;
    const asked = options.rewriteQuery ? await this.rewriter.rewrite(question, query) : asAsked(question);
    const rewriting: Rewriting | null = options.rewriteQuery ? rewritingOf(asked) : null;
    const known = asOf === null ? null : this.known.at(this.views, query, asOf);
    const search = async (wide: UnitSearchQuery) => {
      const hits = await this.views.search(wide);
      return known === null ? hits : known.of(hits, needed);
    };
    const plan = { scope: rankedScope(query), texts: textsOf(asked), core: null, isPast: asOf !== null };
    const [hits = []] = await this.#retrieval.find(plan, async (vectors) => [
      await findUnits({ search }, { ...query, limit: most }, asked, vectors),
    ]);
    const found = options.rerank
      ? rerankedDocuments((await rerankHits(this.reranker, question, hits, compared)).slice(0, wanted), options)
      : foundDocuments(hits, options);
    const best = found.slice(0, limit);
    if (options.onlyMatchingChunks) {
      const results = best.map(({ passages, ...result }) => ({ ...result, chunks: passages.map(toChunk) }));
      return { results, rewriting };
    }
    return { results: await this.#withNeighbours(query, best, known), rewriting };
  }

  /** Each passage is followed by the one before and the one after it, where these are not hits themselves. */
  async #withNeighbours(
    query: DocumentQuery & { readonly cutAt: number },
    found: readonly FoundDocument[],
    known: KnownAt | null,
  ) {
    const { scope, cutAt: at } = query;
    const around = found.map(({ passages, document }) => {
      const shown = new Set(passages.map(({ hit }) => hit.unit.ordinal));
      const neighbours = passages.map(({ hit: { unit } }) =>
        [unit.ordinal - 1, unit.ordinal + 1].filter((ordinal) => {
          if (ordinal < 0 || shown.has(ordinal)) return false;
          shown.add(ordinal);
          return true;
        }),
      );
      return { document, neighbours };
    });
    const units = await this.#unitsAt(scope, at, around, found, known);
    const byPosition = new Map(units.map(({ documentId, unit }) => [`${documentId} ${unit.ordinal}`, unit]));
    return found.map(({ passages, document, score }, i) => ({
      document,
      score,
      chunks: passages.flatMap((passage, j) => [
        toChunk(passage),
        ...(around[i]?.neighbours[j] ?? []).flatMap((position) => {
          const unit = byPosition.get(`${document.id} ${position}`);
          return unit === undefined ? [] : [chunkOf(unit, { score: 0, isRelevant: false, explanation: null })];
        }),
      ]),
    }));
  }

  /** Reads chunks around the passages of documents; of one that has changed since the time of the question, those of then. */
  async #unitsAt(
    scope: Scope,
    at: number,
    around: readonly { readonly document: DocumentRow; readonly neighbours: readonly (readonly number[])[] }[],
    found: readonly FoundDocument[],
    known: KnownAt | null,
  ): Promise<readonly { readonly documentId: string; readonly unit: Unit }[]> {
    // The row of a hit of a piece does not say what else is cut, nor that of a unit that has left.
    const others = found
      .filter(({ passages }) => passages.some(({ hit }) => hit.isCut || hit.hasLeft))
      .map(({ document }) => document.id);
    const rows = others.length === 0 ? [] : await this.views.documents(scope, others);
    const rowOf = new Map(rows.map((row) => [row.id, row]));
    const past = new Map<string, readonly Unit[]>();
    const wanted = around.map(({ document, neighbours }) => ({
      document: rowOf.get(document.id) ?? document,
      ordinals: neighbours.flat(),
    }));
    for (const { document } of known === null ? [] : wanted) {
      const chunks = await known?.chunks(document);
      if (chunks) past.set(document.id, chunks);
    }
    const present = wanted.filter(({ document }) => !past.has(document.id));
    return [
      ...(await readCut(this.views, { scope, kind: 'chunk', at }, present)),
      ...[...past].flatMap(([documentId, chunks]) => chunks.map((unit) => ({ documentId, unit }))),
    ];
  }
}

const toChunk = ({ hit, similarity, explanation }: ScoredHit): ChunkResult =>
  chunkOf(hit.unit, { score: similarity, isRelevant: true, explanation });

const chunkOf = (
  { text, ordinal, location }: Unit,
  found: Pick<ChunkResult, 'score' | 'isRelevant' | 'explanation'>,
): ChunkResult => ({ content: text, position: ordinal, ...(location !== undefined && { location }), ...found });

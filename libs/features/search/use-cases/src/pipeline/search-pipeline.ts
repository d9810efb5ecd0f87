import { Inject, Injectable } from '@nestjs/common';
import { asAsked, type QuestionForms } from '#features/search';
import { Questions } from '#features/vector-spaces';
import { RERANKER, type Reranker } from '#ports/rerank';
import type { HitsAsOf } from '#read-side/as-of';
import { foldedTextOf, rankedScope, VIEWS_READER, type ViewsReader } from '#read-side/views';
import { type Rewriting, rewritingOf } from '../search-options.ts';
import { ConversationScopes } from './conversation-scopes.ts';
import { QueryRewriter } from './query-rewriter.ts';
import { rank } from './rank.ts';
import { rerank } from './rerank.ts';
import { retrieve } from './retrieve.ts';
import type { ScoredHit } from './scored-hits.ts';
import type { SearchPlan } from './search-plan.ts';

/** Attempts for one question at most, while the vector space of the views changes. */
const ATTEMPTS = 3;

type HitsByKind = readonly (readonly ScoredHit[])[];

/** What a search has found. */
export interface SearchHits {
  /** Of each kind of units in the plan, the best first. */
  readonly hits: HitsByKind;
  /** Null: the question was searched as it came. */
  readonly rewriting: Rewriting | null;
}

/** The steps between the plan of a search and the presentation of its hits: retrieve, rank, rerank. */
@Injectable()
export class SearchPipeline {
  readonly #views: ViewsReader;
  readonly #questions: Questions;
  readonly #rewriter: QueryRewriter;
  readonly #reranker: Reranker;
  readonly #conversations = new ConversationScopes();

  constructor(@Inject(VIEWS_READER) views: ViewsReader, questions: Questions, @Inject(RERANKER) reranker: Reranker) {
    this.#views = views;
    this.#questions = questions;
    this.#rewriter = new QueryRewriter(views);
    this.#reranker = reranker;
  }

  /** @param asOf null: the question is about the present */
  async search(plan: SearchPlan, asOf: HitsAsOf | null): Promise<SearchHits> {
    const { question, kinds, isRewritten, isReranked, limits } = plan;
    if (question === null) return { hits: [], rewriting: null };
    const forms = isRewritten ? await this.#rewriter.rewrite(question, plan) : asAsked(question);
    const compared = isReranked ? this.#reranker.most() / kinds.length : 0;
    const ranked = await this.#ranked(plan, forms, Math.max(limits.first, compared), asOf);
    const hits = isReranked
      ? await Promise.all(ranked.map((ofKind) => rerank(this.#reranker, question, ofKind, compared)))
      : ranked;
    return { hits, rewriting: isRewritten ? rewritingOf(forms) : null };
  }

  /**
   * Embeds the question, retrieves and ranks. Starts over if the hits show that the ranker needs the question's core, and if
   * the views have another vector space by then.
   */
  async #ranked(plan: SearchPlan, forms: QuestionForms, limit: number, asOf: HitsAsOf | null): Promise<HitsByKind> {
    const scope = rankedScope(plan.query);
    const texts = forms.forms.map(({ text }) => text);
    let space: string | null = null;
    for (let attempt = 1; ; ) {
      const core = plan.core !== null && this.#conversations.has(scope) ? plan.core : null;
      const embedded = await this.#questions.embed(texts, { core, scope, isPast: asOf !== null, space });
      const embeddedForms = texts.map((text, i) => ({ text, vectors: embedded.vectors[i] ?? [] }));
      let ranked = rank(forms, await retrieve(this.#views, plan, embeddedForms, limit, asOf));
      const more = limitBehindRepetitions(plan, ranked, limit);
      if (more !== null) ranked = rank(forms, await retrieve(this.#views, plan, embeddedForms, more, asOf));
      const hits = ranked.flat().map(({ hit }) => hit);
      if (plan.core !== core && this.#conversations.observe(scope, hits)) continue;
      space = await this.#questions.otherSpace(embedded);
      if (space === null || attempt === ATTEMPTS) return ranked;
      attempt += 1;
    }
  }
}

/** Returns how many hits are needed instead if repetitions would leave the answer short. Null: it is not short. */
function limitBehindRepetitions({ limits }: SearchPlan, hits: HitsByKind, limit: number): number | null {
  const { repeated } = limits;
  if (repeated === null || hits.every(({ length }) => length < limit)) return null;
  const texts = new Set(hits.flat().map(({ hit }) => foldedTextOf(hit.unit)));
  return texts.size < repeated.results ? repeated.limit : null;
}

import type { RerankMethod } from '#features/search';
import { MOST_COMPUTED, type RerankedPassage, type Reranker, type RerankScores } from './port.ts';

/** Scores passages by their texts, and remembers what it was asked. Texts without a score are not compared in time. */
export class FakeReranker implements Reranker {
  readonly asked: { readonly question: string; readonly passages: readonly RerankedPassage[] }[] = [];
  readonly #scores: Readonly<Record<string, number>>;
  readonly #method: RerankMethod | null;

  /** @param method null: nothing can be compared */
  constructor(scores: Readonly<Record<string, number>> = {}, method: RerankMethod | null = 'maxsim') {
    this.#scores = scores;
    this.#method = method;
  }

  method(): RerankMethod | null {
    return this.#method;
  }

  most(): number {
    return MOST_COMPUTED;
  }

  async rerank(
    question: string,
    passages: readonly RerankedPassage[],
    _withinMs: number,
  ): Promise<RerankScores | null> {
    this.asked.push({ question, passages });
    if (this.#method === null) return null;
    return { method: this.#method, scores: passages.map(({ text }) => this.#scores[text] ?? null) };
  }

  async close(): Promise<void> {}
}

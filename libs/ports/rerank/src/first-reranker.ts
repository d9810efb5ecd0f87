import { performance } from 'node:perf_hooks';
import type { RerankMethod } from '#features/search';
import type { RerankedPassage, Reranker, RerankScores } from './port.ts';

/** Uses the first of several rerankers that can compare. They share the time of a question. */
export class FirstReranker implements Reranker {
  readonly #rerankers: readonly Reranker[];

  constructor(rerankers: readonly Reranker[]) {
    this.#rerankers = rerankers;
  }

  method(): RerankMethod | null {
    return this.#rerankers.map((one) => one.method()).find((method) => method !== null) ?? null;
  }

  most(): number {
    return (this.#rerankers.find((one) => one.method() !== null) ?? this.#rerankers[0])?.most() ?? 0;
  }

  async rerank(question: string, passages: readonly RerankedPassage[], withinMs: number): Promise<RerankScores | null> {
    const deadline = performance.now() + withinMs;
    for (const one of this.#rerankers) {
      const scores = await one.rerank(question, passages, Math.max(0, deadline - performance.now()));
      if (scores !== null) return scores;
    }
    return null;
  }

  async close(): Promise<void> {
    await Promise.all(this.#rerankers.map((one) => one.close()));
  }
}

import { performance } from 'node:perf_hooks';
import type { CrossEncoder } from '#models';
import { RERANK_MS, type RerankedPassage, type Reranker, type RerankScores } from '../../port.ts';

/** A model that failed is tried again after this time. Milliseconds. */
const RETRY_MS = 5 * 60_000;

/** Reads question and passage together with the operator's model. Needs no vectors. */
export class CrossEncoderReranker implements Reranker {
  readonly #model: Pick<CrossEncoder, 'compare' | 'close'>;
  readonly #logger: { warn(message: string): void };
  /** By the clock of `performance`. */
  #retryAt = 0;

  constructor(model: Pick<CrossEncoder, 'compare' | 'close'>, logger: { warn(message: string): void }) {
    this.#model = model;
    this.#logger = logger;
  }

  method(): 'cross-encoder' | null {
    return performance.now() < this.#retryAt ? null : 'cross-encoder';
  }

  async rerank(question: string, passages: readonly RerankedPassage[]): Promise<RerankScores | null> {
    if (this.method() === null) return null;
    const texts = passages.map(({ text }) => text);
    const { scores, error } = await this.#model.compare(question, texts, RERANK_MS);
    if (error === null) return { method: 'cross-encoder', scores };
    this.#retryAt = performance.now() + RETRY_MS;
    this.#logger.warn(`The cross-encoder failed, and is tried again in ${RETRY_MS / 60_000} minutes: ${error.message}`);
    return null;
  }

  close(): Promise<void> {
    return this.#model.close();
  }
}

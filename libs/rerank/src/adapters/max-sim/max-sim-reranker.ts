import type { Embedder } from '#models';
import type { RerankedPassage, Reranker, RerankScores } from '../../port.ts';
import { SeldomWarnings } from '../../seldom-warnings.ts';

type TokenModel = Pick<Embedder, 'status' | 'compareTokens' | 'comparesTokens'>;

/** The models of the spaces that are searched. */
export interface TokenModels {
  readonly serving: { readonly embedder: TokenModel };
  /** Returns the model of a space. Null: it is not loaded. */
  find(space: string): TokenModel | null;
}

/**
 * Compares the tokens of question and passage in the vectors that the embedding model gives them. Nothing is stored: the
 * passages go through the model while the question waits. Passages without a vector keep their place.
 */
export class MaxSimReranker implements Reranker {
  readonly #models: TokenModels;
  readonly #warnings: SeldomWarnings;
  #closed = false;

  constructor(models: TokenModels, logger: { warn(message: string): void }) {
    this.#models = models;
    this.#warnings = new SeldomWarnings(logger);
  }

  method(): 'maxsim' | null {
    const { embedder } = this.#models.serving;
    return embedder.comparesTokens && embedder.status().state === 'ready' ? 'maxsim' : null;
  }

  async rerank(question: string, passages: readonly RerankedPassage[], withinMs: number): Promise<RerankScores | null> {
    const space = passages.find((passage) => passage.space !== null)?.space ?? null;
    const model = space === null ? null : this.#models.find(space);
    if (model === null || !model.comparesTokens) return null;
    const own = passages.filter((passage) => passage.space === space).map(({ text }) => text);
    const ended = (error: Error | null) => this.#ended(error);
    const scores = await model.compareTokens(question, own, { withinMs, ended }).catch((error: Error) => {
      // The model can go between the search and this call. Passages then keep their places.
      this.#ended(error);
      return null;
    });
    if (scores === null) return null;
    let next = 0;
    return {
      method: 'maxsim',
      scores: passages.map((passage) => (passage.space === space ? (scores[next++] ?? null) : null)),
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #ended(error: Error | null): void {
    if (error === null || this.#closed) return;
    this.#warnings.warn(`The tokens of a question and of passages could not be compared: ${error.message}`);
  }
}

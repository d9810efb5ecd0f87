import { performance } from 'node:perf_hooks';
import { tokenKey } from '#features/vector-spaces/model';
import type { Embedder } from '#ports/models';
import { MOST_COMPUTED, type RerankedPassage, type Reranker, type RerankScores } from '../../port.ts';
import { SeldomWarnings } from '../../seldom-warnings.ts';
import type { StoredTokens } from './stored/stored-tokens.ts';

type TokenModel = Pick<Embedder, 'status' | 'compareTokens' | 'comparesTokens' | 'storedTokens'>;

/** The models of the spaces that are searched. */
export interface TokenModels {
  readonly serving: { readonly embedder: TokenModel };
  /** Returns the model of a space. Null: it is not loaded. */
  find(space: string): TokenModel | null;
}

/** Passages that are compared if their tokens are stored. */
const MOST_STORED = 100;

/**
 * Compares the tokens of question and passage in the vectors that the embedding model gives them. Tokens that are not stored
 * go through the model while the question waits. Passages without a vector keep their place.
 */
export class MaxSimReranker implements Reranker {
  readonly #models: TokenModels;
  readonly #stored: Pick<StoredTokens, 'compare' | 'close'>;
  readonly #warnings: SeldomWarnings;
  #closed = false;

  /** @param stored asked in spaces in which the model says that tokens are stored */
  constructor(
    models: TokenModels,
    stored: Pick<StoredTokens, 'compare' | 'close'>,
    logger: { warn(message: string): void },
  ) {
    this.#models = models;
    this.#stored = stored;
    this.#warnings = new SeldomWarnings(logger);
  }

  method(): 'maxsim' | null {
    const { embedder } = this.#models.serving;
    return embedder.comparesTokens && embedder.status().state === 'ready' ? 'maxsim' : null;
  }

  most(): number {
    return this.#models.serving.embedder.storedTokens === undefined ? MOST_COMPUTED : MOST_STORED;
  }

  async rerank(question: string, passages: readonly RerankedPassage[], withinMs: number): Promise<RerankScores | null> {
    const deadline = performance.now() + withinMs;
    const space = passages.find((passage) => passage.space !== null)?.space ?? null;
    const model = space === null ? null : this.#models.find(space);
    if (space === null || model === null || !model.comparesTokens) return null;
    const own = passages.filter((passage) => passage.space === space);
    const stored = await this.#compareStored(model, question, own, { space, withinMs });
    const left = own.slice(0, MOST_COMPUTED).filter((_, i) => stored[i] === null);
    const computed =
      left.length === 0 ? [] : await this.#compute(model, question, left, Math.max(0, deadline - performance.now()));
    if (computed === null && stored.every((score) => score === null)) return null;
    const scores = new Map(own.map((passage, i) => [passage, stored[i] ?? null]));
    for (const [i, passage] of left.entries()) scores.set(passage, computed?.[i] ?? null);
    return { method: 'maxsim', scores: passages.map((passage) => scores.get(passage) ?? null) };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#stored.close();
  }

  async #compareStored(
    { storedTokens }: TokenModel,
    question: string,
    passages: readonly RerankedPassage[],
    { space, withinMs }: { readonly space: string; readonly withinMs: number },
  ): Promise<readonly (number | null)[]> {
    const none = () => passages.map(() => null);
    if (storedTokens === undefined) return none();
    const keys = passages.map(({ organization, unitId }) => tokenKey(space, organization, unitId));
    try {
      return await this.#stored.compare(storedTokens.questionTokens(question), keys, withinMs);
    } catch (error) {
      this.#ended(error as Error);
      return none();
    }
  }

  /** Null: the model is gone. */
  async #compute(
    model: TokenModel,
    question: string,
    passages: readonly RerankedPassage[],
    withinMs: number,
  ): Promise<readonly (number | null)[] | null> {
    const texts = passages.map(({ text }) => text);
    const ended = (error: Error | null) => this.#ended(error);
    return model.compareTokens(question, texts, { withinMs, ended }).catch((error: Error) => {
      // The model can go between the search and this call. Passages then keep their places.
      this.#ended(error);
      return null;
    });
  }

  #ended(error: Error | null): void {
    if (error === null || this.#closed) return;
    this.#warnings.warn(`The tokens of a question and of passages could not be compared: ${error.message}`);
  }
}

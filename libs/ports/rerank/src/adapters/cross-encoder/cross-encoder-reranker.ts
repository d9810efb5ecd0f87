import { performance } from 'node:perf_hooks';
import type { CrossEncoder } from '#ports/models';
import { MOST_COMPUTED, type RerankedPassage, type Reranker, type RerankScores } from '../../port.ts';
import { SeldomWarnings } from '../../seldom-warnings.ts';

/** Failures in a row after which the model is not used for a while. */
const MOST_FAILURES = 3;
/**
 * Questions in a row without time for a single passage, and the least time between the first and the last of them, after
 * which the model counts as too slow: its process may take some seconds to start.
 */
const MOST_UNSCORED = 10;
const UNSCORED_MS = 30_000;
/** Milliseconds. */
const PAUSE_MS = 5 * 60_000;

/** Reads question and passage together with the operator's model. Needs no vectors. */
export class CrossEncoderReranker implements Reranker {
  readonly #model: Pick<CrossEncoder, 'compare' | 'close'>;
  readonly #logger: { warn(message: string): void };
  readonly #warnings: SeldomWarnings;
  #failures = 0;
  #unscored = 0;
  /** Of the first of the unscored questions, by the clock of `performance`. */
  #unscoredSince = 0;
  /** By the clock of `performance`. */
  #pausedUntil = 0;
  #closed = false;

  constructor(model: Pick<CrossEncoder, 'compare' | 'close'>, logger: { warn(message: string): void }) {
    this.#model = model;
    this.#logger = logger;
    this.#warnings = new SeldomWarnings(logger);
  }

  method(): 'cross-encoder' | null {
    return performance.now() < this.#pausedUntil ? null : 'cross-encoder';
  }

  most(): number {
    return MOST_COMPUTED;
  }

  /** @returns null also if the model fails before it has compared anything */
  async rerank(question: string, passages: readonly RerankedPassage[], withinMs: number): Promise<RerankScores | null> {
    if (this.method() === null) return null;
    const texts = passages.map(({ text }) => text);
    const ended = (error: Error | null) => this.#ended(error);
    const { scores, failed } = await this.#model.compare(question, texts, { withinMs, ended });
    const isScored = scores.some((score) => score !== null);
    if (failed && !isScored) return null;
    this.#noteTime(isScored, withinMs);
    return { method: 'cross-encoder', scores };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#model.close();
  }

  #noteTime(isScored: boolean, withinMs: number): void {
    const now = performance.now();
    if (this.#unscored === 0) this.#unscoredSince = now;
    this.#unscored = isScored ? 0 : this.#unscored + 1;
    if (this.#unscored < MOST_UNSCORED || now - this.#unscoredSince < UNSCORED_MS) return;
    this.#unscored = 0;
    this.#pausedUntil = now + PAUSE_MS;
    this.#logger.warn(
      `The cross-encoder is too slow for this machine: it compared no passage of ${MOST_UNSCORED} questions in a row within ${Math.round(withinMs)} ms each, and is not used for ${PAUSE_MS / 60_000} minutes`,
    );
  }

  #ended(error: Error | null): void {
    if (this.#closed) return;
    this.#failures = error === null ? 0 : this.#failures + 1;
    if (error === null) return;
    if (this.#failures < MOST_FAILURES) {
      this.#warnings.warn(`The cross-encoder failed to compare a question with passages: ${error.message}`);
      return;
    }
    this.#failures = 0;
    this.#pausedUntil = performance.now() + PAUSE_MS;
    this.#logger.warn(
      `The cross-encoder failed ${MOST_FAILURES} times in a row and is not used for ${PAUSE_MS / 60_000} minutes: ${error.message}`,
    );
  }
}

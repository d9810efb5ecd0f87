import { mnemeError } from '#platform/kernel';
import type { Window } from './bare-model.ts';
import type { TokenRows } from './tokens/token-rows.ts';

/** A set of comparable vectors. Another model, version or dimension is another space. */
export interface VectorSpace {
  /** e.g. `e5-small-v2-q.2.384`: the model, the version of its use here, and the dimensions. */
  readonly name: string;
  readonly dimensions: number;
}

export type ModelStatus =
  | { readonly state: 'off' }
  /** Not loaded, because nothing has needed it for a while. */
  | { readonly state: 'idle' }
  | { readonly state: 'fetching'; readonly source: string; readonly receivedBytes: number; readonly totalBytes: number }
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly space: VectorSpace }
  | { readonly state: 'unavailable'; readonly reason: string };

export interface ComparisonOptions {
  /** The answer is there at the latest then. Milliseconds. */
  readonly withinMs: number;
  /** Called when the comparison has ended, perhaps after the answer. Null: it has not failed. */
  readonly ended: (error: Error | null) => void;
}

/** A text as the model has seen it in its window. */
export interface EmbeddedText {
  /** Of unit length. */
  readonly vector: Float32Array;
  /** Its own tokens. Null: they were not asked for. */
  readonly tokens: TokenRows | null;
}

/** Makes the short vectors of tokens, of which those of passages are stored (`MNEME_RERANK=on`). */
export interface TokenEmbedder {
  /** As `embedWindows` of the embedder; the tokens are of the same passes. */
  embedWindows(windows: readonly Window[]): Promise<readonly (readonly EmbeddedText[])[]>;
  /** Returns the tokens of a question, of the pass that makes its vector if that was not long ago. @throws as `embedQuestion` */
  questionTokens(text: string): Promise<TokenRows>;
}

/**
 * Turns text into unit-length vectors of one vector space. Questions and passages have different prefixes, and a question never
 * queues behind passages.
 */
export interface Embedder {
  /** Whether this space has a basis in which tokens are compared. */
  readonly comparesTokens: boolean;
  /** Absent: no tokens are stored in this space. */
  readonly storedTokens?: TokenEmbedder | undefined;
  status(): ModelStatus;
  /** Calls the listener after each change of the status. Returns the function that removes it. */
  onStatus(listener: (status: ModelStatus) => void): () => void;
  /**
   * Returns a unit-length vector, shared with other callers of the same text: do not modify it.
   * @throws ModelUnavailableError unless the status is `ready`
   */
  embedQuestion(text: string): Promise<Float32Array>;
  /**
   * Returns one vector per text, in the order of `texts`.
   * @throws ModelUnavailableError unless the status is `ready`
   * @throws EmbeddingInterruptedError if the process of the model ended during the call; the call may be repeated
   */
  embedPassages(
    texts: readonly string[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly Float32Array[]>;
  /**
   * Returns one vector per text of each window, in their order: the mean of the text's own tokens, which the model has seen
   * among the other texts of the window.
   * @throws as `embedPassages`
   */
  embedWindows(
    windows: readonly Window[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (readonly Float32Array[])[]>;
  /**
   * Compares a question with passages token by token (MaxSim), the first passage first, before most of the passages that wait
   * to be embedded. One question is compared at a time, and a few wait for it. Only if `comparesTokens`.
   * @returns for each passage −1…1, or null if there was no time for it
   * @throws ModelUnavailableError unless the status is `ready`
   */
  compareTokens(
    question: string,
    passages: readonly string[],
    options: ComparisonOptions,
  ): Promise<readonly (number | null)[]>;
  close(): Promise<void>;
}

/** The problem of one source of a model. */
export interface FailedAttempt {
  readonly source: string;
  readonly problem: string;
}

/** No model is available at present. */
export class ModelUnavailableError extends mnemeError('transient', 'model_unavailable') {
  /** Empty if no source was tried. */
  readonly attempts: readonly FailedAttempt[];

  constructor(message: string, attempts: readonly FailedAttempt[] = []) {
    super(message);
    this.attempts = attempts;
  }
}

/** The thread or process of the model ended before it answered. A text may be the reason, so the kind is unknown. */
export class EmbeddingInterruptedError extends mnemeError(undefined, 'embedding_interrupted') {}

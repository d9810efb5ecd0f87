import { MnemeError } from '#kernel';
/** A family of comparable vectors: changing model, version or dimensions makes another space. */
export interface VectorSpace {
  /** e.g. `e5-small-v2-q.1.384`: the model, its version and the dimensions. */
  readonly name: string;
  readonly dimensions: number;
}

export type ModelStatus =
  | { readonly state: 'off' }
  | { readonly state: 'fetching'; readonly source: string; readonly receivedBytes: number; readonly totalBytes: number }
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly space: VectorSpace }
  | { readonly state: 'unavailable'; readonly reason: string };

/**
 * Turns text into unit-length vectors of one vector space. Questions and passages are embedded apart (their prefixes differ), and a question
 * never queues behind passages.
 */
export interface Embedder {
  status(): ModelStatus;
  /** Called at each change of the status; answers with the function that ends it. */
  onStatus(listener: (status: ModelStatus) => void): () => void;
  /**
   * Unit length, `space.dimensions` long. Shared with later callers of the same text: do not write to it.
   * @throws ModelUnavailableError unless the status is `ready`
   */
  embedQuestion(text: string): Promise<Float32Array>;
  /**
   * In the order of `texts`, one vector each, or none at all.
   * @throws ModelUnavailableError unless the status is `ready`
   * @throws EmbeddingInterruptedError when the model's process ended under the call; the same call may be made again
   */
  embedPassages(
    texts: readonly string[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

/** What one source said when it was asked for a model. */
export interface FailedAttempt {
  readonly source: string;
  readonly problem: string;
}

/** There is no model to embed with, at least not now. */
export class ModelUnavailableError extends MnemeError {
  override readonly name = 'ModelUnavailableError';
  override readonly kind = 'transient';
  override readonly code = 'model_unavailable';
  /** Empty unless sources were asked. */
  readonly attempts: readonly FailedAttempt[];

  constructor(message: string, attempts: readonly FailedAttempt[] = []) {
    super(message);
    this.attempts = attempts;
  }
}

/** The thread or process of the model ended before it answered. A text may be the reason, so the kind is unknown. */
export class EmbeddingInterruptedError extends MnemeError {
  override readonly name = 'EmbeddingInterruptedError';
  override readonly kind = undefined;
  override readonly code = 'embedding_interrupted';
}

/** What a client says about repetitions of a request. */
export interface Attempt {
  /** The Idempotency-Key, or null. */
  readonly key: string | null;
  /** The client's library sends the request again because it got no answer. */
  readonly isRetry: boolean;
}

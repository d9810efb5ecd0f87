/** What a client says about repetitions of a request. */
export interface Attempt {
  /** Null: none was sent. */
  readonly idempotencyKey: string | null;
  /** The client's library sends the request again because it got no answer. */
  readonly isRetry: boolean;
}

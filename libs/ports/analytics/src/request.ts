/** What a request was for. Routes declare it; one that declares nothing is a `request`. */
export const REQUEST_TYPES = [
  'add',
  'search',
  'fast_search',
  'request',
  'update',
  'delete',
  'chat',
  'search_v4',
] as const;

export type RequestType = (typeof REQUEST_TYPES)[number];

/** A request that was answered. It holds nothing that a caller wrote: the pattern of the route in place of the URL. */
export interface AnsweredRequest {
  readonly organization: string;
  readonly keyId: string;
  readonly type: RequestType;
  readonly method: string;
  /** The pattern, e.g. `/v3/documents/:id`. */
  readonly route: string;
  readonly status: number;
  /** Code of the error body; null: none. */
  readonly code: string | null;
  readonly milliseconds: number;
  /** Sizes of the bodies; null: not known before the end. */
  readonly bytesIn: number | null;
  readonly bytesOut: number | null;
}

export interface LoggedRequest extends AnsweredRequest {
  readonly id: string;
  /** When it was answered. Milliseconds since the epoch. */
  readonly at: number;
}

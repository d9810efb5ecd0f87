/** The machine codes of the contract (§1.4) and their statuses. */
export const STATUS_OF = {
  invalid_request: 400,
  invalid_metadata: 400,
  invalid_filter: 400,
  unauthorized: 401,
  forbidden: 403,
  organization_suspended: 403,
  not_found: 404,
  ambiguous_custom_id: 404,
  request_timeout: 408,
  conflict: 409,
  already_forgotten: 409,
  payload_too_large: 413,
  range_not_satisfiable: 416,
  rate_limited: 429,
  quota_exceeded: 429,
  headers_too_large: 431,
  internal: 500,
  provider_unavailable: 501,
  provider_unreachable: 502,
  unavailable: 503,
  provider_timeout: 504,
} as const;

export type ErrorCode = keyof typeof STATUS_OF;

/** What a deletion has done whose erasure is delayed. */
export interface ErasureTotals {
  readonly deletedCount: number;
  readonly unerasedCount: number;
}

/** An answer that is not a success. Only the edge makes one; use cases return names of refusals in a Result. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  /** The part of the request that is wrong, such as `metadata.tags`. */
  readonly details: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: not an erasure that is delayed. */
  readonly totals: ErasureTotals | null;

  constructor(
    code: ErrorCode,
    message: string,
    details: string | null = null,
    headers: Readonly<Record<string, string>> = {},
    totals: ErasureTotals | null = null,
  ) {
    super(message);
    this.code = code;
    this.details = details;
    this.headers = headers;
    this.totals = totals;
  }
}

/** The key is not valid. */
export const unauthorized = (): ApiError =>
  new ApiError('unauthorized', 'A valid API key is needed: Authorization: Bearer sm_…', null, {
    'www-authenticate': 'Bearer',
  });

/** SDKs sleep for the full Retry-After. */
const MAX_RETRY_SECONDS = 60;

/** @param milliseconds until there is room again */
export function tooMany(milliseconds: number): ApiError {
  const seconds = Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(milliseconds / 1000)));
  return new ApiError('rate_limited', 'Rate limit exceeded', null, { 'retry-after': String(seconds) });
}

/** Clients must not send the same again. */
export const payloadTooLarge = (details: string | null, message: string): ApiError =>
  new ApiError('payload_too_large', message, details, { 'x-should-retry': 'false' });

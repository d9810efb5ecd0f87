import type { ErrorCode } from './api-error.ts';

/** The body of every response that is not a success. */
export class ErrorBody {
  /** The same text as `message`. */
  readonly error!: string;
  /** What is wrong, in a sentence. */
  readonly message!: string;
  /** The part of the request that is wrong. */
  readonly details?: string;
  /** Stable code for programs. */
  readonly code!: ErrorCode;
  /** Equals the header `x-request-id`. */
  readonly requestId!: string;
}

import type { Count } from '../openapi/scalars.ts';
import type { ErrorCode } from './api-error.ts';

/** The body of every response that is not a success. */
export class ErrorBody {
  /** The same text as `message`. For applications that exchange tokens: a code of OAuth. */
  readonly error!: string;
  /** What is wrong, in a sentence. */
  readonly message!: string;
  /** The same, where `error` is a code of OAuth. */
  readonly error_description?: string;
  /** The part of the request that is wrong. */
  readonly details?: string;
  /** Documents that a deletion has deleted although it is answered with 503: something that they have stored is still there. */
  readonly deletedCount?: Count;
  /** Of these, documents whose files or vectors are removed later. */
  readonly unerasedCount?: Count;
  /** Stable code for programs. */
  readonly code!: ErrorCode;
  /** Equals the header `x-request-id`. */
  readonly requestId!: string;
}

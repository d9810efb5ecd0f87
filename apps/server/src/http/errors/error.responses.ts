import type { ErrorCode } from './api-error.ts';

/** The body of every answer that is not a success (contract §1.4). A type only; never instantiated. */
export class ErrorBody {
  readonly error!: string;
  readonly message!: string;
  /** The part of the request that is wrong. */
  readonly details?: string;
  readonly code!: ErrorCode;
  readonly requestId!: string;
}

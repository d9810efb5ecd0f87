import type { ApiError } from './api-error.ts';
import type { ErrorBody } from './error.responses.ts';

/** Returns the error body of the contract (§1.4). */
export const errorBody = ({ message, details, totals, code }: ApiError, requestId: string): ErrorBody => ({
  error: message,
  message,
  ...(details === null ? {} : { details }),
  ...totals,
  code,
  requestId,
});

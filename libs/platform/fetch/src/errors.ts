import { isMnemeError, mnemeError } from '#platform/kernel';

/** The rules of the guard forbid the address. The message never contains an address that a name resolved to. */
export class FetchRefusedError extends mnemeError('permanent', 'fetch_refused') {}

export interface FetchFailure extends ErrorOptions {
  /** The same request may succeed later: DNS errors, time-outs, 429 and 5xx. Default: false. */
  readonly isTemporary?: boolean;
  /** The resolver says that there is no such name. Default: false. */
  readonly isUnknownName?: boolean;
  /** As the server asked with `Retry-After`. Milliseconds. */
  readonly retryAfter?: number | null;
}

/** The address is permitted, but no usable response came from it. */
export class FetchFailedError extends mnemeError(undefined, 'fetch_failed') {
  readonly isTemporary: boolean;
  readonly isUnknownName: boolean;
  readonly retryAfter: number | null;

  constructor(
    message: string,
    { isTemporary = false, isUnknownName = false, retryAfter = null, ...options }: FetchFailure = {},
  ) {
    super(message, options);
    this.isTemporary = isTemporary;
    this.isUnknownName = isUnknownName;
    this.retryAfter = retryAfter;
  }
}

/** Returns what an error of a connection is to the caller. */
export function translated(error: unknown, isTimeout: boolean): unknown {
  const { name = '', code = '' } = error as NodeJS.ErrnoException;
  if (isTimeout || name === 'TimeoutError' || code === 'ETIMEDOUT') {
    return new FetchFailedError('The address did not answer in time.', { isTemporary: true, cause: error });
  }
  if (isMnemeError(error)) return error;
  return new FetchFailedError(`The connection to the address failed (${code || name}). Check the address.`, {
    cause: error,
  });
}

import type { Json } from '../json.ts';

/**
 * `transient`: the same call may succeed later. `permanent`: it never will. `fenced`: another holder has taken over, so the
 * caller has to stop.
 */
export type ErrorKind = 'transient' | 'permanent' | 'fenced';

export interface MnemeErrorOptions {
  readonly details?: Json;
  readonly cause?: unknown;
}

/** Base of all errors of this program. Callers decide by `kind` and `code`; `name`, that of the class, is for logs. */
export abstract class MnemeError extends Error {
  /** Undefined: unknown. The owner of the job counts its attempts. */
  abstract readonly kind: ErrorKind | undefined;
  abstract readonly code: string;
  readonly details: Json | undefined;

  constructor(message: string, { details, cause }: MnemeErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.details = details;
  }
}

/** Returns a base class whose errors have this kind and this code. */
export const mnemeError = <Code extends string>(kind: ErrorKind | undefined, code: Code) =>
  class extends MnemeError {
    override readonly kind = kind;
    override readonly code = code;
  };

export const isMnemeError = (error: unknown): error is MnemeError => error instanceof MnemeError;

/** True for an error of this program with one of these codes. */
export const hasCode = (error: unknown, ...codes: readonly string[]): error is MnemeError =>
  isMnemeError(error) && codes.includes(error.code);

export const isTransient = (error: unknown): boolean => isMnemeError(error) && error.kind === 'transient';

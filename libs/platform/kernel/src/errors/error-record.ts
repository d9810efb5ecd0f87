import type { Json } from '../json.ts';
import { type ErrorKind, isMnemeError, MnemeError } from './mneme-error.ts';

/** An error as it crosses to another thread or process. JSON and structured clone keep all of it. */
export interface ErrorRecord {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  /** The following are of a `MnemeError` only. */
  readonly kind?: ErrorKind;
  readonly code?: string;
  readonly details?: Json;
}

/** A `MnemeError` of another thread or process, with its name, kind, code and details. */
class ReceivedError extends MnemeError {
  override readonly kind: ErrorKind | undefined;
  override readonly code: string;

  constructor({ name, message, kind, code, details }: ErrorRecord & { readonly code: string }) {
    super(message, details === undefined ? {} : { details });
    this.name = name;
    this.kind = kind;
    this.code = code;
  }
}

/** @param error any value that was thrown. The code of a foreign error stays behind: its adapter translates it */
export function errorRecord(error: unknown): ErrorRecord {
  if (!isErrorLike(error)) return { name: 'Error', message: String(error) };
  const { name, message, stack } = error;
  return { name, message, ...(stack !== undefined && { stack }), ...fieldsOf(error) };
}

/** Returns a `MnemeError` if the record is of one, otherwise an `Error` with its name. */
export function errorFromRecord(record: ErrorRecord): Error {
  const { name, message, stack, code } = record;
  const error =
    code === undefined ? Object.assign(new Error(message), { name }) : new ReceivedError({ ...record, code });
  if (stack !== undefined) error.stack = stack;
  return error;
}

function fieldsOf(error: Error): Pick<ErrorRecord, 'kind' | 'code' | 'details'> {
  if (!isMnemeError(error)) return {};
  const { kind, code, details } = error;
  return { code, ...(kind !== undefined && { kind }), ...(details !== undefined && { details }) };
}

/** By shape: a value of another realm is no instance of this realm's `Error`. */
function isErrorLike(value: unknown): value is Error {
  return typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';
}

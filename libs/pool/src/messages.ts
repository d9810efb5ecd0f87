import type { Json } from '#kernel';
import { JobInputMissingError, JobOutputError, ScratchError } from './errors.ts';

/** What a child is asked to do. Contents are in files; only names and small values are in messages. */
export interface JobRequest {
  readonly id: number;
  readonly params: Json;
  /** Path of the file to read. */
  readonly input: string;
  /** Path of the file to write; its folder exists. */
  readonly output: string;
  /** Largest size of that file. */
  readonly outputBytes: number;
}

export type JobResponse =
  /** The work begins: from here on the limits count. */
  | { readonly id: number; readonly started: true }
  | { readonly id: number; readonly answer: Json }
  | { readonly id: number; readonly fault: Fault };

/** An error as it crosses from the child to the pool. */
export interface Fault {
  readonly name: string;
  readonly message: string;
  readonly code?: string | number;
}

export function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message } = error;
  const code =
    'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? error.code : null;
  return { name, message, ...(code !== null && { code }) };
}

/** Errors of the pool that a child throws. */
const OWN = { JobInputMissingError, JobOutputError, ScratchError };

export function errorOf({ name, message, code }: Fault): Error {
  if (Object.hasOwn(OWN, name)) return new OWN[name as keyof typeof OWN](message);
  return Object.assign(new Error(message), { name, ...(code !== undefined && { code }) });
}

import type { ErrorRecord, Json } from '#platform/kernel';

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
  /** What the work has come to so far. */
  | { readonly id: number; readonly report: Json }
  /** `rssBytes`: resident memory after the work. */
  | { readonly id: number; readonly answer: Json; readonly rssBytes: number }
  | { readonly id: number; readonly fault: ErrorRecord };

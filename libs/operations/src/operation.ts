import type { Config } from '#config';
import type { Clock, Json, JsonObject } from '#kernel';
import { MnemeError } from '#kernel';
import type { Parts } from '#runtime';
import type { SpaceEmbedders } from '#vector-spaces';

/** What operations work on: the parts of the server that runs them, or those that a command line has opened itself. */
export interface OperationsContext {
  readonly config: Config;
  readonly parts: Parts;
  /** Null: a command line without a server. */
  readonly server: { readonly embedders: SpaceEmbedders; readonly startedAt: number } | null;
  readonly clock: Clock;
}

/** Answers in lines, the last of which is the result. Ends early when the signal aborts. */
export type Operation = (
  context: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
) => AsyncIterable<JsonObject>;

/** The operator asked for something that there is not; the message is a sentence for him. */
export class OperatorError extends MnemeError {
  override readonly name = 'OperatorError';
  override readonly kind = 'permanent';
  override readonly code = 'invalid_operation';
}

export const textOf = (value: Json | undefined): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

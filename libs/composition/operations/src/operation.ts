import type { Parts } from '#composition/runtime';
import type { SpaceEmbedders } from '#features/vector-spaces';
import type { Config } from '#platform/config';
import type { Clock, Json, JsonObject } from '#platform/kernel';
import { mnemeError } from '#platform/kernel';
import type { Reranker } from '#ports/rerank';

/** The parts that operations use: those of the running server, or those that the command line has opened. */
export interface OperationsContext {
  readonly config: Config;
  readonly parts: Parts;
  /** Null: a command line without a server. */
  readonly server: {
    readonly embedders: SpaceEmbedders;
    readonly reranker: Pick<Reranker, 'method'>;
    readonly startedAt: number;
  } | null;
  readonly clock: Clock;
}

/** Yields lines, the last of which is the result. Ends early if the signal aborts. */
export type Operation = (
  context: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
) => AsyncIterable<JsonObject>;

/** Invalid operator input; the message is shown to the user. */
export class OperatorError extends mnemeError('permanent', 'invalid_operation') {}

export const textOf = (value: Json | undefined): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

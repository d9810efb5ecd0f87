import type { JsonObject } from '#kernel';

/** What a fold sees of a stored event. `payload` is null where there never was one, or where the stream was erased. */
export interface Happened {
  readonly envelope: {
    readonly type: string;
    /** ISO 8601. */
    readonly at: string;
    readonly organization: string;
    readonly tags: readonly string[];
    readonly correlationId: string;
    readonly contentVersion?: number;
    readonly stage?: string;
    readonly attempt?: number;
    readonly code?: string;
  };
  readonly payload: JsonObject | null;
}

/** What a decision wants to be recorded; the recorder adds ids, time, actor and tags. */
export interface Decided<Type extends string = string> {
  readonly type: Type;
  readonly payload: object | null;
  readonly contentVersion?: number;
  readonly stage?: string;
  readonly attempt?: number;
  readonly code?: string;
  readonly sizes?: Readonly<Record<string, number>>;
}

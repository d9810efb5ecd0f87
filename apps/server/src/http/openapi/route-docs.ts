import type { JsonObject } from '#kernel';
import type { DtoClass } from '../validation/fields.ts';

/** What the OpenAPI document says about a route beyond its path and its permission. */
export interface RouteDocs {
  readonly summary: string;
  readonly body?: DtoClass;
  readonly query?: DtoClass;
  /** Honours the header Idempotency-Key. */
  readonly idempotent?: true;
  /** Null: an empty answer. */
  readonly answer: Answer | null;
  /** Statuses beside those that every route may answer with. */
  readonly refuses: readonly number[];
}

export interface Answer {
  readonly mediaType: string;
  readonly schema: JsonObject;
}

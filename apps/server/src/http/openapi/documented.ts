import type { JsonObject } from '#kernel';
import { routeConfig } from '../access/route-config.ts';
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

export const Documented = (docs: RouteDocs): MethodDecorator => routeConfig({ docs });

/** Takes multipart/form-data with a part named `file`. */
export const Multipart = (): MethodDecorator => routeConfig({ multipart: true });

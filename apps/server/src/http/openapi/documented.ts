import type { InputClass } from '../validation/rule.ts';

/** What the OpenAPI document states about a route beyond its signature and its permission. */
export interface RouteDocs<Answer = unknown> {
  readonly summary: string;
  /** Class of the text parts of a multipart body. */
  readonly form?: InputClass;
  /** True if the route honours the header Idempotency-Key. */
  readonly idempotent?: true;
  /** The class of the JSON answer, another media type, or null for an empty answer. */
  readonly answer: (new () => Answer) | MediaAnswer | null;
  /** Statuses in addition to those that every route can answer with. */
  readonly refuses: readonly number[];
}

export interface MediaAnswer {
  readonly mediaType: string;
  readonly description: string;
}

const DOCS = new WeakMap<object, RouteDocs>();

/** The compiler checks that the method answers with the class that `docs` names. */
export const Documented =
  <Answer>(docs: RouteDocs<Answer>) =>
  <Handler extends (...args: never[]) => Answer | Promise<Answer>>(
    _target: object,
    _key: string,
    descriptor: TypedPropertyDescriptor<Handler>,
  ): void => {
    DOCS.set(descriptor.value as object, docs);
  };

/** Returns what `@Documented` states about the method of a controller. */
export const docsOf = (handler: object): RouteDocs | undefined => DOCS.get(handler);

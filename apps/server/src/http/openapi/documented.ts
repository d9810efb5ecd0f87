import type { InputClass } from '../validation/rule.ts';

/** What the OpenAPI document states about a route beyond its signature and its permission. */
export interface RouteDocs<Answer = unknown> {
  readonly summary: string;
  /** Class of the text parts of a multipart body. */
  readonly form?: InputClass;
  /** True if the route honours the header Idempotency-Key. */
  readonly idempotent?: true;
  /** The class of the JSON answer, `listOf` the class of its items, another media type, or null for an empty answer. */
  readonly answer: (new () => Answer) | ListAnswer<Answer> | MediaAnswer | null;
  /** Of a success with a body. Default: 200. */
  readonly status?: 200 | 202;
  /** Statuses in addition to those that every route can answer with. */
  readonly refuses: readonly number[];
}

export interface MediaAnswer {
  readonly mediaType: string;
  readonly description: string;
}

/** An answer that is an array; `type` exists for the compiler only. */
export interface ListAnswer<Answer> {
  readonly items: new () => unknown;
  readonly type?: Answer;
}

export const listOf = <Item>(items: new () => Item): ListAnswer<readonly Item[]> => ({ items });

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

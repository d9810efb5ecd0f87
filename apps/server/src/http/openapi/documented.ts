import type { InputClass } from '#platform/input';

/** What the OpenAPI document states about a route beyond its signature and its permission. */
export interface RouteDocs<Answer = unknown> {
  /** Operation id. Generated clients name a method after it, so it never changes. */
  readonly id: string;
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  /** The parameters of the path, by name. */
  readonly path?: Readonly<Record<string, PathParameter>>;
  /** Class of the text parts of a multipart body. */
  readonly form?: InputClass;
  /** The class of the JSON answer, `listOf` the class of its items, another media type, or null for an empty answer. */
  readonly answer: (new () => Answer) | ListAnswer<Answer> | MediaAnswer | null;
  /** Of a success. Default: 200, and 204 if it has no body. */
  readonly status?: 200 | 201 | 202 | 302;
  /** Headers of a success beside those of every answer, with their descriptions. Those of a media type are in `answer`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Operations that take a value of the answer as a parameter, by operation id. */
  readonly links?: Readonly<Record<string, Link>>;
  /** Statuses in addition to those that every route, and every route with a body, can answer with. */
  readonly refuses: readonly (404 | 409 | 416)[];
}

export interface PathParameter {
  readonly description: string;
  /** A value with which the request succeeds after the examples of other operations. Absent: the server makes the value. */
  readonly example?: string;
}

/** Parameters of the linked operation, each with the field of the answer that holds its value. */
export type Link = Readonly<Record<string, string>>;

export interface MediaAnswer {
  readonly mediaType: string;
  readonly description: string;
  /** Response headers that this answer has beside those of every answer, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
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

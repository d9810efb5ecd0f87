import type { Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { examplesOf, type InputClass } from '#platform/input';
import type { JsonObject } from '#platform/kernel';
import { readAttempt } from '../src/http/documents/attempt.ts';
import { readWords } from '../src/http/documents/status-words.ts';
import type { RouteDocs } from '../src/http/openapi/documented.ts';
import type { RequestSchemas } from './request-schemas.ts';

/** What Nest records about a parameter of a controller's method. */
interface Argument {
  readonly index: number;
  /** Name in `@Param(…)` or `@Headers(…)`. */
  readonly data?: string;
  /** Of a custom decorator. */
  readonly factory?: unknown;
}

/** Headers that `@Headers(…)` reads. */
const HEADERS: Readonly<Record<string, JsonObject>> = {
  'last-event-id': {
    name: 'Last-Event-ID',
    in: 'header',
    schema: { type: 'string', maxLength: 512 },
    description: 'Continues after the event with this `id:`. Clients for server-sent events send it by themselves.',
  },
};

/** Parameters of the custom decorators, by what reads them. */
const READ: readonly (readonly [unknown, readonly JsonObject[]])[] = [
  [
    readAttempt,
    [
      {
        name: 'Idempotency-Key',
        in: 'header',
        schema: { type: 'string', minLength: 1, maxLength: 255 },
        description:
          'A random key of the request. For 24 hours a repeated request with the same key gets the answer of the first.',
      },
      {
        name: 'x-stainless-retry-count',
        in: 'header',
        schema: { type: 'integer', minimum: 0 },
        description:
          'How often the client has sent this request before. From 1 on, an add that has taken effect is not repeated.',
      },
    ],
  ],
  [
    readWords,
    [
      {
        name: 'x-sm-status',
        in: 'header',
        schema: { type: 'string', enum: ['stage'] },
        description: '`stage`: `status` has the value of `processingStage`.',
      },
      {
        name: 'status',
        in: 'query',
        schema: { type: 'string', enum: ['stage'] },
        description: 'The same as `x-sm-status`.',
      },
    ],
  ],
];

/** The parameters of a controller's method, of path, query and headers. */
export class RouteParameters {
  constructor(
    private readonly controller: Type,
    private readonly method: string,
  ) {}

  /** Returns the class of the parameter with `@Body()` or `@Query()`; null if there is none. */
  typeOf(kind: RouteParamtypes): InputClass | null {
    const types: readonly InputClass[] =
      Reflect.getMetadata('design:paramtypes', this.controller.prototype, this.method) ?? [];
    const [argument] = this.of(kind);
    return argument === undefined ? null : (types[argument.index] ?? null);
  }

  describe({ path = {} }: RouteDocs, requests: RequestSchemas): readonly JsonObject[] {
    const query = this.typeOf(RouteParamtypes.QUERY);
    const factories = this.arguments().map(([, { factory }]) => factory);
    return [
      ...this.names(RouteParamtypes.PARAM).map((name) => this.pathParameter(name, path)),
      ...(query === null ? [] : queryParameters(query, requests)),
      ...this.names(RouteParamtypes.HEADERS).map((name) => HEADERS[name] as JsonObject),
      ...READ.flatMap(([factory, parameters]) => (factories.includes(factory) ? parameters : [])),
    ];
  }

  private pathParameter(name: string, path: NonNullable<RouteDocs['path']>): JsonObject {
    const docs = path[name];
    if (docs === undefined) throw new Error(`${this.controller.name}.${this.method} does not describe {${name}}.`);
    return { name, in: 'path', required: true, schema: { type: 'string' }, ...docs };
  }

  private names(kind: RouteParamtypes): readonly string[] {
    return this.of(kind).map(({ data }) => data as string);
  }

  private of(kind: RouteParamtypes): readonly Argument[] {
    return this.arguments()
      .filter(([key]) => key.startsWith(`${kind}:`))
      .map(([, argument]) => argument);
  }

  private arguments(): readonly (readonly [string, Argument])[] {
    return Object.entries(Reflect.getMetadata(ROUTE_ARGS_METADATA, this.controller, this.method) ?? {});
  }
}

function queryParameters(type: InputClass, requests: RequestSchemas): readonly JsonObject[] {
  const [example = {}] = Object.values(examplesOf(type));
  return requests.fields(type).map(({ name, isRequired, schema, description }) => ({
    name,
    in: 'query',
    ...(isRequired ? { required: true } : {}),
    schema,
    description,
    ...(example[name] === undefined ? {} : { example: example[name] }),
  }));
}

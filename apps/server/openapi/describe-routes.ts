import type { Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ApiBody, ApiConsumes, ApiExtension, ApiHeader, ApiOperation, ApiQuery, ApiResponse } from '@nestjs/swagger';
import type { JsonObject } from '#kernel';
import { declarationOf } from '../src/http/access/route-config.ts';
import { ErrorBody } from '../src/http/errors/error.responses.ts';
import { docsOf, type RouteDocs } from '../src/http/openapi/documented.ts';
import type { InputClass } from '../src/http/validation/rule.ts';
import type { RequestSchemas } from './request-schemas.ts';
import type { ResponseSchemas } from './response-schemas.ts';

export interface Schemas {
  readonly requests: RequestSchemas;
  readonly responses: ResponseSchemas;
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'The request is invalid; `details` names the field.',
  401: 'The key is missing or invalid.',
  403: 'The key does not permit this.',
  404: 'The document, result or file does not exist.',
  409: 'The request conflicts with the state of the document or with an earlier request.',
  413: 'The body or the file is too large.',
  429: 'Too many requests; wait for Retry-After.',
  500: 'Internal error.',
  503: 'The server cannot accept the request now; wait for Retry-After.',
};
const WITH_KEY = [401, 403, 429];
const ALWAYS = [500];

/** Applies the decorators of @nestjs/swagger to a controller's routes, from what the controller declares at run time. */
export function describeRoutes(controller: Type, schemas: Schemas): void {
  const { prototype } = controller;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const docs = docsOf(prototype[name]);
    if (docs === undefined) continue;
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
    for (const decorate of decoratorsOf(controller, name, docs, schemas)) decorate(prototype, name, descriptor);
  }
}

function decoratorsOf(controller: Type, name: string, docs: RouteDocs, schemas: Schemas): readonly MethodDecorator[] {
  const { access } = declarationOf(controller.prototype[name]) ?? {};
  const isPublic = access === 'public';
  const body = parameterType(controller, name, RouteParamtypes.BODY);
  const query = parameterType(controller, name, RouteParamtypes.QUERY);
  return [
    ApiOperation({
      summary: docs.summary,
      description: isPublic ? 'Needs no key.' : `Permission: ${access}.`,
      ...(isPublic ? { security: [] } : {}),
    }),
    ApiExtension('x-permission', isPublic ? null : access),
    ...(docs.idempotent ? [IDEMPOTENCY_KEY] : []),
    ...(body === null ? [] : [ApiBody({ required: true, schema: schemas.requests.reference(body) })]),
    ...(query === null ? [] : queries(query, schemas.requests)),
    ...(docs.form === undefined ? [] : [ApiConsumes('multipart/form-data'), form(docs.form, schemas.requests)]),
    ...answers(docs, isPublic, schemas.responses),
  ];
}

/** Returns the class of the parameter with `@Body()` or `@Query()`; null if there is none. */
function parameterType(controller: Type, name: string, kind: RouteParamtypes): InputClass | null {
  const parameters: object = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {};
  const found = Object.entries(parameters).find(([key]) => key.startsWith(`${kind}:`));
  const types: readonly InputClass[] = Reflect.getMetadata('design:paramtypes', controller.prototype, name) ?? [];
  return found === undefined ? null : (types[(found[1] as { readonly index: number }).index] ?? null);
}

const IDEMPOTENCY_KEY = ApiHeader({
  name: 'Idempotency-Key',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description: 'A repeated request with the same key gets the answer of the first.',
});

const queries = (type: InputClass, requests: RequestSchemas): readonly MethodDecorator[] =>
  requests
    .fields(type)
    .map(({ name, isRequired, schema, description }) =>
      ApiQuery({ name, required: isRequired, schema, description: description ?? '' } as never),
    );

function form(type: InputClass, requests: RequestSchemas): MethodDecorator {
  const file = { type: 'string', format: 'binary', description: 'At most 50 MB.' };
  const schema = { allOf: [requests.reference(type), { type: 'object', required: ['file'], properties: { file } }] };
  return ApiBody({ required: true, schema });
}

function answers(docs: RouteDocs, isPublic: boolean, responses: ResponseSchemas): readonly MethodDecorator[] {
  const errors = [...docs.refuses, ...(isPublic ? [] : WITH_KEY), ...ALWAYS];
  const error = responses.reference(ErrorBody.name);
  return [
    success(docs, responses),
    ...errors.map((status) =>
      ApiResponse({ status, description: REASONS[status] ?? '', content: content('application/json', error) }),
    ),
  ];
}

function success({ answer, status = 200 }: RouteDocs, responses: ResponseSchemas): MethodDecorator {
  if (answer === null) return ApiResponse({ status: 204, description: 'Done; the body is empty.' });
  const [mediaType, schema] =
    'mediaType' in answer
      ? [answer.mediaType, { type: answer.mediaType === 'application/json' ? 'object' : 'string' }]
      : [
          'application/json',
          'items' in answer ? listed(answer.items.name, responses) : responses.reference(answer.name),
        ];
  const description = 'mediaType' in answer ? answer.description : 'Success.';
  return ApiResponse({ status, description, content: content(mediaType, schema) });
}

const listed = (name: string, responses: ResponseSchemas): JsonObject => ({
  type: 'array',
  items: responses.reference(name),
});

const content = (mediaType: string, schema: JsonObject) => ({ [mediaType]: { schema } }) as never;

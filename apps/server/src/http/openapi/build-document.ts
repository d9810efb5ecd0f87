import type { JsonObject } from '#kernel';
import type { HttpOptions } from '../options.ts';
import { type DtoClass, fieldsOf } from '../validation/fields.ts';
import { ERROR } from './response-schemas.ts';
import type { CataloguedRoute } from './route-catalog.ts';
import type { RouteDocs } from './route-docs.ts';

const REASONS: Readonly<Record<number, string>> = {
  400: 'The request is invalid; `details` names the field.',
  401: 'No valid key.',
  403: 'The key does not permit this.',
  404: 'There is no such thing.',
  409: 'The request contradicts an earlier one.',
  413: 'The body or the file is too large.',
  429: 'Too many requests; wait for Retry-After.',
  500: 'Something went wrong on the server.',
  503: 'The server cannot take this right now; wait for Retry-After.',
};
const OF_EVERY_KEY = [401, 403, 429];
const OF_EVERYONE = [500];

const FILTER_GROUP: JsonObject = {
  type: 'object',
  description: 'Exactly one of AND and OR, not empty; at most 8 levels and 200 conditions.',
  minProperties: 1,
  maxProperties: 1,
  properties: Object.fromEntries(
    ['AND', 'OR'].map((name) => [
      name,
      {
        type: 'array',
        minItems: 1,
        items: {
          oneOf: [{ $ref: '#/components/schemas/FilterGroup' }, { $ref: '#/components/schemas/FilterCondition' }],
        },
      },
    ]),
  ),
};

const SWITCH: JsonObject = { enum: [true, false, 'true', 'false'], default: false };

const FILTER_CONDITION: JsonObject = {
  type: 'object',
  required: ['key', 'value'],
  properties: {
    key: { type: 'string', minLength: 1, maxLength: 255 },
    value: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
    filterType: { enum: ['metadata', 'numeric', 'array_contains', 'string_contains'], default: 'metadata' },
    numericOperator: { enum: ['>', '<', '>=', '<=', '='], default: '=' },
    ignoreCase: SWITCH,
    negate: SWITCH,
  },
};

/** The OpenAPI document, from what the routes and the request classes declare; nothing is written twice. */
export function buildDocument(routes: readonly CataloguedRoute[], options: HttpOptions): JsonObject {
  const schemas = new Map<string, JsonObject>();
  const paths = new Map<string, Map<string, JsonObject>>();
  for (const route of routes) {
    if (route.docs === undefined || route.method === 'HEAD') continue;
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    const methods = paths.get(path) ?? new Map<string, JsonObject>();
    methods.set(route.method.toLowerCase(), operation(route, route.docs, schemas));
    paths.set(path, methods);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: options.name,
      version: options.version,
      description: 'Content ingestion, memory and search.',
    },
    servers: [{ url: options.publicUrl ?? '/' }],
    security: [{ key: [] }],
    paths: Object.fromEntries([...paths].map(([path, methods]) => [path, Object.fromEntries(methods)])),
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key, `sm_…`.' } },
      schemas: {
        Error: ERROR,
        FilterGroup: FILTER_GROUP,
        FilterCondition: FILTER_CONDITION,
        ...Object.fromEntries(schemas),
      },
    },
  };
}

function operation(route: CataloguedRoute, docs: RouteDocs, schemas: Map<string, JsonObject>): JsonObject {
  const isPublic = route.access === 'public';
  const parameters = [...pathParameters(route.url), ...queryParameters(docs.query), ...headerParameters(docs)];
  return {
    summary: docs.summary,
    description: isPublic ? 'Needs no key.' : `Permission: ${route.access}.`,
    'x-permission': isPublic ? null : (route.access ?? null),
    ...(isPublic ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(docs.body === undefined ? {} : { requestBody: requestBody(docs.body, route.multipart === true, schemas) }),
    responses: responses(docs, isPublic),
  };
}

const pathParameters = (url: string): readonly JsonObject[] =>
  [...url.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name: name ?? '',
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

const queryParameters = (dto: DtoClass | undefined): readonly JsonObject[] =>
  dto === undefined
    ? []
    : [...fieldsOf(dto)].map(([name, { required, schema }]) => ({ name, in: 'query', required, schema }));

const headerParameters = (docs: RouteDocs): readonly JsonObject[] =>
  docs.idempotent === true
    ? [
        {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          schema: { type: 'string', minLength: 1, maxLength: 255 },
          description: 'Repeating a request under its key is answered as the first time.',
        },
      ]
    : [];

function requestBody(dto: DtoClass, multipart: boolean, schemas: Map<string, JsonObject>): JsonObject {
  const schema = reference(dto, schemas);
  if (!multipart) return { required: true, content: { 'application/json': { schema } } };
  const file = { type: 'string', format: 'binary', description: 'At most 50 MB.' };
  const form = { allOf: [schema, { type: 'object', required: ['file'], properties: { file } }] };
  return { required: true, content: { 'multipart/form-data': { schema: form } } };
}

function reference(dto: DtoClass, schemas: Map<string, JsonObject>): JsonObject {
  if (!schemas.has(dto.name)) {
    const fields = [...fieldsOf(dto)];
    const required = fields.filter(([, field]) => field.required).map(([name]) => name);
    schemas.set(dto.name, {
      type: 'object',
      ...(required.length > 0 ? { required } : {}),
      properties: Object.fromEntries(
        fields.map(([name, { schema, nested }]) => [
          name,
          nested === null ? schema : { ...reference(nested, schemas), ...schema },
        ]),
      ),
    });
  }
  return { $ref: `#/components/schemas/${dto.name}` };
}

function responses(docs: RouteDocs, isPublic: boolean): JsonObject {
  const { answer } = docs;
  const success =
    answer === null
      ? { 204: { description: 'Done; no body.' } }
      : { 200: { description: 'Success.', content: { [answer.mediaType]: { schema: answer.schema } } } };
  const errors = [...docs.refuses, ...(isPublic ? [] : OF_EVERY_KEY), ...OF_EVERYONE].sort((a, b) => a - b);
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return {
    ...success,
    ...Object.fromEntries(errors.map((status) => [status, { description: REASONS[status] ?? '', content }])),
  };
}

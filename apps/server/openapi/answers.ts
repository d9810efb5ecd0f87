import type { JsonObject } from '#platform/kernel';
import { ErrorBody } from '../src/http/errors/error.responses.ts';
import type { MediaAnswer, RouteDocs } from '../src/http/openapi/documented.ts';
import { HEADERS_OF_ALL, HEADERS_WITH_KEY, headerReferences } from './headers.ts';
import type { ResponseSchemas } from './response-schemas.ts';
import { referenceTo } from './schema.ts';

interface Refusal {
  readonly name: string;
  readonly description: string;
  readonly headers?: readonly string[];
  readonly example: { readonly message: string; readonly code: string; readonly details?: string };
}

const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: {
    name: 'Invalid',
    description: 'The request is invalid; `details` names the field.',
    example: {
      message: 'metadata.tags must be a string, number or boolean',
      code: 'invalid_metadata',
      details: 'metadata.tags',
    },
  },
  401: {
    name: 'Unauthorized',
    description: 'The key is missing or invalid.',
    headers: ['www-authenticate'],
    example: { message: 'A valid API key is needed: Authorization: Bearer sm_…', code: 'unauthorized' },
  },
  403: {
    name: 'Forbidden',
    description: 'The key does not permit this.',
    example: { message: 'The key does not permit this', code: 'forbidden' },
  },
  404: {
    name: 'NotFound',
    description: 'What the request names does not exist.',
    example: { message: 'Document not found', code: 'not_found' },
  },
  409: {
    name: 'Conflict',
    description: 'The request conflicts with the present state or with an earlier request.',
    headers: ['x-should-retry'],
    example: { message: 'Another document has this customId', code: 'conflict', details: 'customId' },
  },
  413: {
    name: 'TooLarge',
    description: 'The body or the file is too large.',
    headers: ['x-should-retry'],
    example: { message: 'file is larger than 50 MB', code: 'payload_too_large', details: 'file' },
  },
  416: {
    name: 'RangeNotSatisfiable',
    description: 'The file has no byte of the range.',
    example: { message: 'The file has no such bytes', code: 'range_not_satisfiable', details: 'Range' },
  },
  429: {
    name: 'TooManyRequests',
    description: 'The key has made too many requests; wait for Retry-After.',
    headers: ['retry-after'],
    example: { message: 'Rate limit exceeded', code: 'rate_limited' },
  },
  500: {
    name: 'InternalError',
    description: 'Internal error. The log of the server has the reason.',
    example: { message: 'Something went wrong on the server', code: 'internal' },
  },
  503: {
    name: 'Unavailable',
    description: 'The server cannot do this now; wait for Retry-After.',
    headers: ['retry-after'],
    example: { message: 'Too much is waiting to be processed, try again later', code: 'unavailable' },
  },
};
const ALWAYS = [400, 500];
const WITH_BODY = [413];
const WITH_KEY = [401, 403, 429, 503];

/** Returns the shared responses of refusals, by name. */
export function refusalResponses(responses: ResponseSchemas): JsonObject {
  const schema = responses.reference(ErrorBody.name);
  const bodies = Object.values(REFUSALS).map(({ name, description, headers = [], example }) => {
    const { message, ...rest } = example;
    const body = { error: message, message, ...rest, requestId: 'aeQvPhZzNiAyMg1V7DpJo1' };
    const content = { 'application/json': { schema, example: body } };
    return [
      name,
      { description, headers: headerReferences([...HEADERS_OF_ALL, ...HEADERS_WITH_KEY, ...headers]), content },
    ];
  });
  return Object.fromEntries(bodies);
}

/** Returns the responses of a route by status. */
export function responsesOf(
  docs: RouteDocs,
  { isPublic, takesBody }: { readonly isPublic: boolean; readonly takesBody: boolean },
  responses: ResponseSchemas,
): JsonObject {
  const statuses = [
    ...docs.refuses,
    ...ALWAYS,
    ...(takesBody ? WITH_BODY : []),
    ...(isPublic ? [] : WITH_KEY),
  ].toSorted();
  const refusals = statuses.map((status) => [
    status,
    { $ref: `#/components/responses/${(REFUSALS[status] as Refusal).name}` },
  ]);
  const { answer, status = answer === null ? 204 : 200 } = docs;
  return { [status]: success(docs, isPublic, responses), ...Object.fromEntries(refusals) };
}

function success(
  { answer, status, headers: own = {}, links = {} }: RouteDocs,
  isPublic: boolean,
  responses: ResponseSchemas,
): JsonObject {
  const isMedia = answer !== null && 'mediaType' in answer;
  const headers = {
    ...headerReferences([...HEADERS_OF_ALL, ...(isPublic ? [] : HEADERS_WITH_KEY)]),
    ...ownHeaders({ ...own, ...(isMedia ? answer.headers : {}) }),
  };
  if (status === 302) return { description: 'The browser goes on to the address in `Location`.', headers };
  if (answer === null) return { description: 'Done. The body is empty.', headers };
  const [mediaType, schema] = isMedia
    ? [answer.mediaType, { type: answer.mediaType === 'application/json' ? 'object' : 'string' }]
    : ['application/json', schemaOf(answer, responses)];
  return {
    description: isMedia ? answer.description : 'Success.',
    headers,
    content: { [mediaType]: { schema } },
    ...(Object.keys(links).length > 0 && { links: linksOf(links) }),
  };
}

const ownHeaders = (headers: NonNullable<MediaAnswer['headers']>): JsonObject =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, required: true, schema: { type: 'string' } },
    ]),
  );

function schemaOf(
  answer: Exclude<NonNullable<RouteDocs['answer']>, MediaAnswer>,
  responses: ResponseSchemas,
): JsonObject {
  if (!('items' in answer)) return responses.reference(answer.name);
  responses.reference(answer.items.name);
  return { type: 'array', items: referenceTo(answer.items.name) };
}

const linksOf = (links: NonNullable<RouteDocs['links']>): JsonObject =>
  Object.fromEntries(
    Object.entries(links).map(([operationId, fields]) => [
      operationId,
      {
        operationId,
        parameters: Object.fromEntries(
          Object.entries(fields).map(([parameter, field]) => [parameter, `$response.body#/${field}`]),
        ),
      },
    ]),
  );
